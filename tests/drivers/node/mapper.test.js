// express-cassandra: models made into tables, and what one does with them.
'use strict';
const assert = require('node:assert');
const { after, before, test } = require('node:test');
const express = require('express-cassandra');
const { connect, disconnect, shared, stop } = require('./server.js');

const keyspace = 'node_express';
const person = {
  fields: {
    family: 'text', born: 'int', name: { type: 'text', rule: { required: true } }, tags: { type: 'set', typeDef: '<text>' },
    scores: { type: 'map', typeDef: '<text, int>' }, home: { type: 'frozen', typeDef: '<place>' }, id: { type: 'uuid', default: { $db_function: 'uuid()' } },
  },
  key: [['family'], 'born'],
  clustering_order: { born: 'desc' },
  indexes: ['name'],
  materialized_views: { by_name: { select: ['*'], key: ['name', 'family', 'born'] } },
};

let server, models, Person;

before(async () => {
  server = await shared();
  await connect(server).execute(`DROP KEYSPACE IF EXISTS ${keyspace}`);
  models = express.createClient({
    clientOptions: { contactPoints: ['127.0.0.1'], localDataCenter: 'datacenter1', protocolOptions: { port: server.port }, keyspace, queryOptions: { consistency: express.consistencies.one } },
    ormOptions: { defaultReplicationStrategy: { class: 'SimpleStrategy', replication_factor: 1 }, migration: 'alter', disableTTYConfirmation: true, udts: { place: { street: 'text', zip: 'int' } } },
  });
  await models.initAsync();
  Person = models.loadSchema('Person', person);
  await Person.syncDBAsync();
});

after(async () => {
  await models.closeAsync();
  await connect(server).execute(`DROP KEYSPACE ${keyspace}`);
  await disconnect();
  assert.strictEqual(await stop(server), 0);
});

test('a model is saved, found, changed and deleted', async () => {
  const ada = new Person({ family: 'L', born: 1815, name: 'Ada', tags: ['x', 'y'], scores: { a: 1 }, home: { street: 'Main', zip: 5 } });
  await ada.saveAsync();
  let found = await Person.findOneAsync({ family: 'L', born: 1815 });
  assert.deepStrictEqual([found.name, found.tags, found.scores, found.home.zip], ['Ada', ['x', 'y'], { a: 1 }, 5]);
  assert.ok(models.uuidFromString(String(found.id)));
  await Person.updateAsync({ family: 'L', born: 1815 }, { tags: { $add: ['z'] }, scores: { $add: { b: 2 } } });
  found = await Person.findOneAsync({ family: 'L', born: 1815 });
  assert.deepStrictEqual([found.tags, found.scores], [['x', 'y', 'z'], { a: 1, b: 2 }]);
  await found.deleteAsync();
  assert.strictEqual(await Person.findOneAsync({ family: 'L', born: 1815 }), undefined);
});

test('ranges, order, limits, indexes, views and batches', async () => {
  const made = [];
  for (let born = 1900; born < 1910; born++)
    made.push(new Person({ family: 'M', born, name: born % 2 ? 'odd' : 'even' }).save({ return_query: true }));
  await models.doBatchAsync(made);
  const years = async (query, options) => (await Person.findAsync(query, options)).map((row) => row.born);
  assert.deepStrictEqual(await years({ family: 'M', born: { $gte: 1903, $lt: 1906 } }), [1905, 1904, 1903]);
  assert.deepStrictEqual(await years({ family: 'M', $orderby: { $asc: 'born' }, $limit: 2 }), [1900, 1901]);
  assert.deepStrictEqual(await years({ family: 'M', name: 'odd' }), [1909, 1907, 1905, 1903, 1901]);
  assert.strictEqual((await years({ name: 'even' }, { materialized_view: 'by_name' })).length, 5);
});

test('conditions', async () => {
  const once = (name) => new Person({ family: 'C', born: 1, name }).saveAsync({ if_not_exist: true });
  assert.strictEqual((await once('first')).rows[0]['[applied]'], true);
  const refused = (await once('second')).rows[0];
  assert.deepStrictEqual([refused['[applied]'], refused.name], [false, 'first']);
});

test('a model that has changed alters its table', async () => {
  const changed = models.loadSchema('Person', { ...person, fields: { ...person.fields, email: 'text' } });
  await changed.syncDBAsync();
  await new changed({ family: 'A', born: 1, name: 'x', email: 'x@y' }).saveAsync();
  assert.strictEqual((await changed.findOneAsync({ family: 'A', born: 1 })).email, 'x@y');
});
