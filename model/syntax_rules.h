/*
 * syntax_rules.h - the shape of CQL as Cassandra 5.0.6 decides upon it, for finding what its parser would say of a wrong text.
 *
 * Not for parsing: cql.y does that. The two must take the same texts, which a test checks; this one is kept in the form of a
 * top-down parser's decisions, since the place and the words of a message follow from them.
 *
 *   name: body      a rule
 *   WORD            a token, by its kind in lex.h;  <A B> one of a set;  @free @native @special words of a class
 *   name            another rule
 *   ( a | b )       a decision; nothing fits: "no viable alternative"
 *   x? x*           taken where the next tokens say so, else passed by
 *   x?! x*!         the same, but tokens that fit neither x nor what may follow: "no viable alternative"
 *   ( a | b )!, name!: a | b    decided by a table, as are x?! and x*!, which reads a token more than it needs: that shows
 *                   in how much of the text a message quotes
 *   {rule} a        a is taken where rule matches from here on, as far as it goes; {} a where its first token does
 *
 * Only tables know what stands behind a statement in the first rule, which is of Cql.g: the other decisions are of Parser.g alone, to which
 * the end may follow a statement, as `alone` says, and a semicolon may not.
 */
#ifndef WR_MODEL_SYNTAX_RULES_H
#define WR_MODEL_SYNTAX_RULES_H

extern const char *const syntax_rules[]; /* the first is where to start; NULL ends the list */

#endif
