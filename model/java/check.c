/*
 * Expressions get their types and meanings, as a compiler of Java gives them: conversions become nodes, names locals or
 * classes.
 */
#include "model/java/body.h"

#include <math.h>
#include <stdio.h>

#include "model/java/lib.h"
#include "model/number.h"

const char *java_type_text(struct java_checker *c, const struct java_type *type)
{
    struct buf text;
    buf_init(&text, c->ctx->arena);
    java_put_type(&text, type);
    return buf_string(c->ctx, &text);
}

void java_mismatch(struct java_checker *c, const struct java_node *node, const struct java_type *to)
{
    const char *from = java_type_text(c, node->type), *wanted = java_type_text(c, to);
    bool alike = node->type->kind != to->kind && strcmp(from, wanted) == 0; /* of two packages */
    java_error(c->errors, node, "Type mismatch: cannot convert from %s to %s", alike ? java_class_full_name(node->type->kind) : from,
               alike ? java_class_full_name(to->kind) : wanted);
}

const struct java_type *java_wrong(void)
{
    return java_simple(J_ERROR);
}

bool java_is_wrong(const struct java_node *node)
{
    return node->type->kind == J_ERROR;
}

/* ---- conversions ---- */

static bool constant_fits(const struct java_node *node, enum java_kind kind)
{
    int64_t v = node->value.i;
    if (!node->constant || node->type->kind < J_CHAR || node->type->kind > J_INT)
        return false;
    return kind == J_BYTE    ? v == (int8_t)v
           : kind == J_SHORT ? v == (int16_t)v
           : kind == J_CHAR  ? v == (uint16_t)v
                             : false;
}

bool java_is_assignable(const struct java_node *node, const struct java_type *to)
{
    const struct java_type *from = node->type, *unboxed;
    if (from->kind == J_ERROR || to->kind == J_ERROR)
        return true;
    if (from->kind == J_VOID || to->kind == J_VOID)
        return false;
    if (java_is_primitive(from) && java_is_primitive(to))
        return java_widens(from, to) || constant_fits(node, to->kind);
    if (java_is_primitive(from)) {
        unboxed = java_unboxed(to);
        return java_is_subtype(java_boxed(from), to) || (unboxed && constant_fits(node, unboxed->kind));
    }
    if (java_is_primitive(to)) {
        unboxed = java_unboxed(from);
        return unboxed && java_widens(unboxed, to);
    }
    return java_is_subtype(from, to) || (node->op == JE_CALL && java_call_makes(node, to));
}

enum wr_status java_fold_node(struct java_checker *c, struct java_node *node)
{
    union java_value value;
    if (!java_is_primitive(node->type) && node->type->kind != J_STRING)
        return WR_OK;
    if (!java_fold(c->ctx, node, &value))
        return c->ctx->failed == WR_NOMEM ? WR_NOMEM : WR_OK;
    if (java_kind_is_real(node->type->kind) && isnan(value.d))
        value.d = NAN; /* a compiler's NaN, where a processor's has a sign */
    node->constant = true;
    node->op = JE_DONE;
    node->value = value;
    if (node->type->kind == J_STRING)
        value.o->string.constant = true;
    return WR_OK;
}

static enum wr_status convert_once(struct java_checker *c, struct java_node **node, const struct java_type *to)
{
    struct java_node *n = NEW(c->ctx, struct java_node), *from = *node;
    if (!n)
        return WR_NOMEM;
    *n = (struct java_node){
        .op = JE_CONVERT, .type = to, .a = from, .line = from->line, .at = from->at, .next = from->next
    };
    from->next = NULL;
    *node = n;
    return from->constant && java_is_primitive(from->type) && java_is_primitive(to) ? java_fold_node(c, n) : WR_OK;
}

enum wr_status java_convert(struct java_checker *c, struct java_node **node, const struct java_type *to, bool checked)
{
    const struct java_type *from = (*node)->type, *unboxed;

    if (from->kind == J_ERROR || to->kind == J_ERROR || (java_type_eq(from, to) && !checked))
        return WR_OK;
    if (java_is_primitive(from) && java_is_primitive(to))
        return convert_once(c, node, to);
    if (java_is_primitive(from)) {
        if ((unboxed = java_unboxed(to)) && unboxed->kind != from->kind)
            TRY(convert_once(c, node, unboxed));
        return convert_once(c, node, java_boxed((*node)->type));
    }
    if (java_is_primitive(to)) {
        if (!(unboxed = java_unboxed(from))) { /* a cast of an Object */
            TRY(convert_once(c, node, java_boxed(to)));
            unboxed = to;
        }
        TRY(convert_once(c, node, unboxed));
        return unboxed->kind == to->kind ? WR_OK : convert_once(c, node, to);
    }
    return checked ? convert_once(c, node, to) : WR_OK;
}

/* As an assignment does, or it is an error. */
enum wr_status java_assign_to(struct java_checker *c, struct java_node **node, const struct java_type *to)
{
    if (java_is_assignable(*node, to))
        return java_convert(c, node, to, false);
    if ((*node)->op == JE_CONDITION && java_is_reference((*node)->type)) { /* each choice by itself */
        TRY(java_assign_to(c, &(*node)->b, to));
        TRY(java_assign_to(c, &(*node)->c, to));
        (*node)->type = java_is_wrong((*node)->b) || java_is_wrong((*node)->c) ? java_wrong() : to;
        return WR_OK;
    }
    java_mismatch(c, *node, to);
    (*node)->type = java_wrong();
    return WR_OK;
}

/* Primitive where it is a box. */
enum wr_status java_unbox(struct java_checker *c, struct java_node **node)
{
    const struct java_type *unboxed = java_unboxed((*node)->type);
    return unboxed ? java_convert(c, node, unboxed, false) : WR_OK;
}

const struct java_type *java_promoted(const struct java_type *a, const struct java_type *b)
{
    enum java_kind kind = a->kind > b->kind ? a->kind : b->kind;
    return java_simple(kind < J_INT ? J_INT : kind);
}

enum wr_status java_check_boolean(struct java_checker *c, struct java_node **node)
{
    TRY(java_check_expression(c, node));
    return java_assign_to(c, node, java_simple(J_BOOLEAN));
}

/* ---- names ---- */

struct java_local *java_find_local(struct java_checker *c, struct slice name)
{
    struct java_local *l = c->locals;
    while (l && !slice_eq(l->name, name))
        l = l->outer;
    return l;
}

enum wr_status java_declare(struct java_checker *c, struct java_node *node, const struct java_type *type, bool assigned)
{
    struct java_local *l = NEW(c->ctx, struct java_local);
    if (!l)
        return WR_NOMEM;
    if (c->local_count == JAVA_LOCALS_MAX)
        return fail(c->ctx, WR_INVALID,
                    JAVA_ERROR_LIST "Line %u: More than %d local variables are not supported here\n", node->line,
                    JAVA_LOCALS_MAX);
    if (java_find_local(c, node->name))
        java_error(c->errors, node, node->op == JS_CATCH ? "Duplicate parameter %.*s" : "Duplicate local variable %.*s",
                   SLICE_ARG(node->name));
    *l = (struct java_local){ .outer = c->locals,
                              .name = node->name,
                              .type = type,
                              .slot = c->slot,
                              .number = c->local_count++,
                              .loops = c->loops,
                              .is_final = node->is_final,
                              .given = assigned };
    node->slot = c->slot;
    node->type = type;
    c->slot += type->kind == J_LONG || type->kind == J_DOUBLE ? 2 : 1;
    if (c->slot > c->body->slot_count)
        c->body->slot_count = c->slot;
    c->locals = l;
    java_flow_declare(&c->flow, l->number, assigned);
    return WR_OK;
}

/* What was declared last has the value of its declaration from here on. */
void java_define(struct java_checker *c, const struct java_node *node)
{
    struct java_local *l = c->locals;
    l->given = true;
    if (node->is_final && node->a->constant && java_type_eq(node->a->type, l->type))
        l->constant = node->a;
    java_flow_declare(&c->flow, l->number, true);
}

/* a.b.c of names alone: its text, and the first of them; *first NULL: it is not. */
static enum wr_status dotted(struct java_checker *c, const struct java_node *node, struct buf *text, const struct java_node **first)
{
    *first = node->op == JE_NAME ? node : NULL;
    if (node->op == JE_FIELD) {
        TRY(dotted(c, node->a, text, first));
        buf_put_u8(text, '.');
    }
    buf_put_slice(text, node->name);
    return text->failed ? fail_nomem(c->ctx) : WR_OK;
}

/* What a name is, if not a class's or a package's. */
static bool is_variable(struct java_checker *c, struct slice name)
{
    return java_find_local(c, name) || slice_eq_str(name, "udfContext");
}

/* A class, where a call's or a field's receiver is one: *is. */
static enum wr_status resolve_class(struct java_checker *c, struct java_node *node, bool *is)
{
    const struct java_node *first;
    struct buf text;
    buf_init(&text, c->ctx->arena);
    TRY(dotted(c, node, &text, &first));
    enum java_kind kind = first && !is_variable(c, first->name) ? java_class_by_name(buf_slice(&text)) : J_ERROR;
    *is = kind != J_ERROR;
    if (*is) {
        node->op = JE_CLASS;
        node->type = java_simple(kind);
    }
    return WR_OK;
}

/* A field of what is neither a variable nor a class: *is, and told by the whole name, as that of a class which is looked for (all else are packages). */
static enum wr_status tell_no_class(struct java_checker *c, struct java_node *node, bool *is)
{
    bool of_class = slice_eq_str(node->name, "class");
    const struct java_node *named = of_class ? node->a : node, *first;
    struct buf text, beginning;

    buf_init(&text, c->ctx->arena);
    TRY(dotted(c, named, &text, &first));
    *is = first && (of_class || !is_variable(c, first->name));
    for (const struct java_node *n = of_class ? named : named->a; *is && n; n = n->a) {
        buf_init(&beginning, c->ctx->arena);
        TRY(dotted(c, n, &beginning, &first));
        *is = java_class_by_name(buf_slice(&beginning)) == J_ERROR;
    }
    if (*is) {
        java_error(c->errors, node, "%.*s cannot be resolved to a type", SLICE_ARG(buf_slice(&text)));
        node->type = java_wrong();
    }
    return WR_OK;
}

enum wr_status java_use_local(struct java_checker *c, struct java_node *node, struct java_local *l, bool read)
{
    if (read && l->constant) {
        node->op = JE_DONE;
        node->type = l->type;
        node->value = l->constant->value;
        node->constant = true;
        return WR_OK;
    }
    node->op = JE_LOCAL;
    node->type = l->type;
    node->slot = l->slot;
    node->parameter = l->parameter && !java_set_has(&c->flow.touched, l->number); /* as the machine has it */
    node->place = node->parameter ? l->place : l->slot;
    if (read && !java_set_has(&c->flow.assigned, l->number)) {
        java_flow_error(c->errors, node, "The local variable %.*s may not have been initialized", SLICE_ARG(l->name));
        java_flow_assign(&c->flow, l->number); /* told once */
    }
    return WR_OK;
}

static enum wr_status check_name(struct java_checker *c, struct java_node *node)
{
    static struct java_object context = { .kind = J_UDF_CONTEXT };
    struct java_local *l = java_find_local(c, node->name);

    if (l)
        return java_use_local(c, node, l, true);
    if (slice_eq_str(node->name, "udfContext")) {
        node->op = JE_DONE;
        node->type = java_simple(J_UDF_CONTEXT);
        node->value.o = &context;
        return WR_OK;
    }
    java_error(c->errors, node, "%.*s cannot be resolved to a variable", SLICE_ARG(node->name));
    node->type = java_wrong();
    return WR_OK;
}

/* What a method or a field is asked of. */
static enum wr_status check_receiver(struct java_checker *c, struct java_node **node)
{
    bool is_class;
    if ((*node)->op == JE_CLASS)
        return WR_OK;
    TRY(resolve_class(c, *node, &is_class));
    if (is_class)
        return WR_OK;
    if ((*node)->op == JE_NAME && !is_variable(c, (*node)->name)) {
        java_error(c->errors, *node, "%.*s cannot be resolved", SLICE_ARG((*node)->name));
        (*node)->type = java_wrong();
        return WR_OK;
    }
    return java_check_expression(c, node);
}

/* The object that a constant stands for. */
static enum wr_status constant_object(struct java_checker *c, const struct java_constant *constant,
                                      union java_value *out)
{
    if (constant->digits == java_constant_is_object) {
        *out = constant->value;
        return WR_OK;
    }
    struct java_object *o = NEW(c->ctx, struct java_object);
    if (!o)
        return WR_NOMEM;
    o->kind = constant->type;
    if (o->kind == J_CLASS)
        o->described = java_simple((enum java_kind)constant->value.i);
    else
        o->value = constant->value;
    out->o = o;
    if (!constant->digits)
        return WR_OK;
    return constant->type == J_BIG_INTEGER ? varint_parse(c->ctx, slice_str(constant->digits), &o->bytes)
                                           : decimal_parse(c->ctx, slice_str(constant->digits), &o->bytes);
}

/* String.class */
static enum wr_status check_class_literal(struct java_checker *c, struct java_node *node)
{
    struct java_object *o = NEW(c->ctx, struct java_object);
    if (!o)
        return WR_NOMEM;
    o->kind = J_CLASS;
    o->described = node->a->type;
    node->op = JE_DONE;
    node->value.o = o;
    const struct java_type *of = java_is_primitive(o->described) ? java_boxed(o->described) : o->described;
    node->type = java_generic(c->ctx, J_CLASS, of->kind == J_VOID ? java_simple(J_OBJECT) : of, NULL);
    return node->type ? WR_OK : WR_NOMEM;
}

static enum wr_status check_field(struct java_checker *c, struct java_node *node)
{
    const struct java_constant *constant;
    const struct java_type *of;
    const struct java_node *first;
    struct buf receiver;

    buf_init(&receiver, c->ctx->arena);
    TRY(dotted(c, node->a, &receiver, &first));
    TRY(check_receiver(c, &node->a));
    of = node->a->type;
    node->type = java_wrong();
    if (of->kind == J_ERROR)
        return WR_OK;
    if (of->kind == J_ARRAY && node->a->op != JE_CLASS && slice_eq_str(node->name, "length")) {
        node->op = JE_LENGTH;
        node->type = java_simple(J_INT);
        return WR_OK;
    }
    if (node->a->op == JE_CLASS && slice_eq_str(node->name, "class"))
        return check_class_literal(c, node);
    if ((constant = java_constant_find(of->kind, node->name))) {
        node->op = JE_DONE;
        node->type = java_simple(constant->type);
        node->value = constant->value;
        node->constant = java_is_primitive(node->type);
        return java_is_primitive(node->type) ? WR_OK : constant_object(c, constant, &node->value);
    }
    if (java_is_primitive(of) && first)
        java_error(c->errors, node, "The primitive type %s of %.*s does not have a field %.*s", java_type_text(c, of),
                   SLICE_ARG(buf_slice(&receiver)), SLICE_ARG(node->name));
    else
        java_error(c->errors, node, "%.*s cannot be resolved or is not a field", SLICE_ARG(node->name));
    return WR_OK;
}

/* ---- other expressions ---- */

/* The parts of a ? b : c. */
static enum wr_status check_ways(struct java_checker *c, struct java_node *node)
{
    struct java_flow yes, no, other_yes, other_no;

    TRY(java_check_boolean(c, &node->a));
    java_branch(c, node->a, &c->flow, &other_no);
    TRY(java_check_expression(c, &node->b));
    java_branch(c, node->b, &yes, &no);
    c->flow = other_no;
    TRY(java_check_expression(c, &node->c));
    java_branch(c, node->c, &other_yes, &other_no);
    java_flow_join(&yes, &other_yes);
    java_flow_join(&no, &other_no);
    java_split(c, &yes, &no);
    return WR_OK;
}

static enum wr_status check_condition(struct java_checker *c, struct java_node *node)
{
    const struct java_type *b, *d, *ub, *ud;

    TRY(check_ways(c, node));
    node->type = java_wrong();
    if (java_is_wrong(node->b) || java_is_wrong(node->c))
        return WR_OK;
    b = node->b->type;
    d = node->c->type;
    ub = java_unboxed(b) ? java_unboxed(b) : b;
    ud = java_unboxed(d) ? java_unboxed(d) : d;
    if (java_type_eq(b, d))
        node->type = b;
    else if (ub->kind == ud->kind && java_is_primitive(ub))
        node->type = ub;
    else if (java_is_numeric_type(ub) && java_is_numeric_type(ud))
        node->type = b->kind == J_INT && constant_fits(node->b, ud->kind)   ? ud
                     : d->kind == J_INT && constant_fits(node->c, ub->kind) ? ub
                     : (ub->kind == J_BYTE && ud->kind == J_SHORT) || (ub->kind == J_SHORT && ud->kind == J_BYTE)
                         ? java_simple(J_SHORT)
                         : java_promoted(ub, ud);
    else if (b->kind == J_NULL || d->kind == J_NULL)
        node->type = b->kind == J_NULL      ? (java_is_primitive(d) ? java_boxed(d) : d)
                     : java_is_primitive(b) ? java_boxed(b)
                                            : b;
    else {
        b = java_is_primitive(b) ? java_boxed(b) : b;
        d = java_is_primitive(d) ? java_boxed(d) : d;
        if (!(node->type = java_common_type(c->ctx, b, d)))
            return WR_NOMEM;
    }
    TRY(java_convert(c, &node->b, node->type, false));
    TRY(java_convert(c, &node->c, node->type, false));
    return node->a->constant && node->b->constant && node->c->constant ? java_fold_node(c, node) : WR_OK;
}

static enum wr_status check_cast(struct java_checker *c, struct java_node *node)
{
    const struct java_type *to = node->type, *from, *unboxed;

    TRY(java_check_expression(c, &node->a));
    from = node->a->type;
    if (!to || from->kind == J_ERROR || to->kind == J_ERROR) {
        node->type = java_wrong();
        return WR_OK;
    }
    bool numbers = java_is_numeric_type(from) && java_is_numeric_type(to);
    bool down = java_is_reference(from) && java_is_reference(to) && java_may_be(from, to);
    bool from_object = java_is_primitive(to) && java_is_reference(from) && !java_unboxed(from) &&
                       java_is_subtype(java_boxed(to), from);
    unboxed = java_unboxed(from);
    bool boxes = java_is_primitive(from) && java_is_reference(to);
    bool fits = boxes ? java_is_subtype(java_boxed(from), to) : java_is_assignable(node->a, to);
    if (!numbers && !down && !from_object && !fits && !(unboxed && java_is_primitive(to) && java_widens(unboxed, to))) {
        java_error(c->errors, node, "Cannot cast from %s to %s", java_type_text(c, from), java_type_text(c, to));
        return WR_OK;
    }
    TRY(java_convert(c, &node->a, to, java_is_reference(from) && java_is_reference(to)));
    if (node->a->constant && java_type_eq(node->a->type, to)) {
        node->op = JE_DONE;
        node->constant = true;
        node->value = node->a->value;
        return WR_OK;
    }
    node->op = JE_CONVERT; /* of what has the type already: nothing is done */
    return WR_OK;
}

/* Objects do not know what a generic class was of: they are asked for the class alone. */
static bool tell_unknown_arguments(struct java_checker *c, const struct java_node *node, const struct java_type *of)
{
    const struct java_type *class = of;
    struct buf brackets;

    buf_init(&brackets, c->ctx->arena);
    for (; class->kind == J_ARRAY; class = class->args[0])
        buf_put_str(&brackets, "[]");
    bool known = true;
    for (unsigned i = 0; i < java_class_parameters(class->kind); i++)
        known &= !class->args[i] || (class->args[i]->wild && class->args[i]->kind == J_OBJECT);
    if (!known)
        java_error(c->errors, node,
                   "Cannot perform instanceof check against parameterized type %s. Use the form %s<%s>%.*s instead since further generic type "
                   "information will be erased at runtime",
                   java_type_text(c, of), java_type_text(c, java_simple(class->kind)), class->args[1] ? "?,?" : "?",
                   SLICE_ARG(buf_slice(&brackets)));
    return !known;
}

static enum wr_status check_instance(struct java_checker *c, struct java_node *node)
{
    const struct java_type *of = node->type;
    TRY(java_check_expression(c, &node->a));
    bool wrong = java_is_wrong(node->a) || !of || of->kind == J_ERROR || (java_is_reference(of) && tell_unknown_arguments(c, node, of));
    if (!wrong && (!java_is_reference(node->a->type) || !java_is_reference(of) || !java_may_be(node->a->type, of)))
        java_error(c->errors, node, "Incompatible conditional operand types %s and %s",
                   java_type_text(c, node->a->type), java_type_text(c, of));
    if (!(node->b = NEW(c->ctx, struct java_node)))
        return WR_NOMEM;
    *node->b = (struct java_node){ .op = JE_CLASS, .type = of ? of : java_wrong() }; /* what it is asked for */
    node->type = java_simple(J_BOOLEAN);
    return WR_OK;
}

static enum wr_status check_index(struct java_checker *c, struct java_node *node)
{
    TRY(java_check_expression(c, &node->a));
    TRY(java_check_expression(c, &node->b));
    node->type = java_wrong();
    if (java_is_wrong(node->a) || java_is_wrong(node->b))
        return WR_OK;
    if (node->a->type->kind != J_ARRAY) {
        java_error(c->errors, node, "The type of the expression must be an array type but it resolved to %s",
                   java_type_text(c, node->a->type));
        return WR_OK;
    }
    TRY(java_unbox(c, &node->b));
    TRY(java_assign_to(c, &node->b, java_simple(J_INT)));
    node->type = node->a->type->args[0];
    return WR_OK;
}

enum wr_status java_check_array_literal(struct java_checker *c, struct java_node *node, const struct java_type *type)
{
    const struct java_type *of = type->kind == J_ARRAY ? type->args[0] : java_wrong();
    node->op = JE_NEW_ARRAY;
    node->type = type;
    for (struct java_node **n = &node->b; *n; n = &(*n)->next) {
        if ((*n)->op == JE_ARRAY && of->kind == J_ARRAY) {
            TRY(java_check_array_literal(c, *n, of));
            continue;
        }
        if ((*n)->op == JE_ARRAY && of->kind != J_ERROR) {
            java_error(c->errors, *n, "Type mismatch: cannot convert from %s[] to %s", java_type_text(c, of),
                       java_type_text(c, of));
            (*n)->type = java_wrong();
            continue;
        }
        TRY(java_check_expression(c, n));
        TRY(java_assign_to(c, n, of));
    }
    return WR_OK;
}

static enum wr_status check_new_array(struct java_checker *c, struct java_node *node)
{
    if (!node->a)
        return java_check_array_literal(c, node, node->type);
    for (struct java_node **size = &node->a; *size; size = &(*size)->next) {
        TRY(java_check_expression(c, size));
        TRY(java_unbox(c, size));
        TRY(java_assign_to(c, size, java_simple(J_INT)));
    }
    return WR_OK;
}

static enum wr_status check_literal(struct java_checker *c, struct java_node *node)
{
    node->op = JE_DONE;
    if (node->type->kind != J_STRING)
        return WR_OK;
    struct java_object *o = NEW(c->ctx, struct java_object);
    if (!o)
        return WR_NOMEM;
    o->kind = J_STRING;
    o->string.len = (uint32_t)(node->name.len / sizeof(uint16_t));
    uint16_t *units = NEW_ARRAY(c->ctx, uint16_t, o->string.len + 1u);
    if (!units)
        return WR_NOMEM;
    if (node->name.len)
        memcpy(units, node->name.data, node->name.len);
    o->string.units = units;
    o->string.constant = true;
    node->value.o = o;
    return WR_OK;
}

static enum wr_status check_call(struct java_checker *c, struct java_node *node)
{
    bool bad = false;
    if (node->a)
        TRY(check_receiver(c, &node->a));
    for (struct java_node **n = &node->b; *n; n = &(*n)->next) {
        TRY(java_check_expression(c, n));
        bad |= java_is_wrong(*n);
    }
    if (bad || (node->a && java_is_wrong(node->a)) || (node->op == JE_NEW && java_is_wrong(node))) {
        node->type = java_wrong();
        return WR_OK;
    }
    return java_check_call(c, node);
}

static enum wr_status check_plain(struct java_checker *c, struct java_node *node)
{
    java_error(c->errors, node, "Array constants can only be used in initializers");
    node->type = java_wrong();
    return WR_OK;
}

enum wr_status java_check_expression(struct java_checker *c, struct java_node **node)
{
    static enum wr_status (*const checks[])(struct java_checker *c, struct java_node *node) = {
        [JE_LITERAL] = check_literal,     [JE_NAME] = check_name,          [JE_FIELD] = check_field,
        [JE_CALL] = check_call,           [JE_NEW] = check_call,           [JE_NEW_ARRAY] = check_new_array,
        [JE_ARRAY] = check_plain,         [JE_INDEX] = check_index,        [JE_UNARY] = java_check_unary,
        [JE_BINARY] = java_check_binary,  [JE_ASSIGN] = java_check_assign, [JE_STEP] = java_check_step,
        [JE_CONDITION] = check_condition, [JE_CAST] = check_cast,          [JE_INSTANCE] = check_instance,
    };
    struct java_node *n = *node;
    if (n->op == JE_FIELD) { /* a class alone is no value */
        bool is_class;
        TRY(resolve_class(c, n, &is_class));
        if (is_class) {
            java_error(c->errors, n, "%.*s cannot be resolved or is not a field", SLICE_ARG(n->name));
            n->type = java_wrong();
            return WR_OK;
        }
        TRY(tell_no_class(c, n, &is_class));
        if (is_class)
            return WR_OK;
    }
    bool splits = n->op == JE_CONDITION || (n->op == JE_UNARY && n->operator == JO_NOT) ||
                  (n->op == JE_BINARY && (n->operator == JO_BOTH || n->operator == JO_EITHER));
    TRY(checks[n->op](c, n));
    c->split &= splits;
    return WR_OK;
}
