// What the driver makes of a server, object by object: seen.json is what it made of a Cassandra 5.0.6.
//   NODE_RECORD=1 tests/drivers/node/run BUILD --against HOST:PORT     writes seen.json; without NODE_RECORD all is compared with it
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { after, before, test } = require('node:test');
const cassandra = require('cassandra-driver');
const { disconnect, shared, stop, ...servers } = require('./server.js');

const RECORDED = path.join(__dirname, 'seen.json');
const recorded = fs.existsSync(RECORDED) ? JSON.parse(fs.readFileSync(RECORDED)) : {};
const seen = {};
let server;
let client;

const SCHEMA = [
  'DROP KEYSPACE IF EXISTS node_seen',
  "CREATE KEYSPACE node_seen WITH replication = {'class': 'NetworkTopologyStrategy', 'datacenter1': 1} AND durable_writes = false",
  'CREATE TYPE node_seen.inner (a int, b frozen<list<text>>)',
  'CREATE TYPE node_seen.outer (i frozen<inner>, m frozen<map<text, frozen<inner>>>, v vector<float, 3>, t frozen<tuple<int, duration>>)',
  "CREATE TABLE node_seen.wide (a int, b text, c timestamp, d uuid, s text static, l list<int>, st set<frozen<inner>>, m map<text, int>, o frozen<outer>, " +
    "PRIMARY KEY ((a, b), c, d)) WITH CLUSTERING ORDER BY (c DESC, d ASC) AND comment = 'wide' AND default_time_to_live = 100 AND gc_grace_seconds = 5 " +
    "AND compaction = {'class': 'LeveledCompactionStrategy'} AND caching = {'keys': 'NONE', 'rows_per_partition': '7'}",
  'CREATE TABLE node_seen."Quoted" ("K" int PRIMARY KEY, "vW" text)',
  'CREATE TABLE node_seen.counts (p int PRIMARY KEY, n counter)',
  'CREATE INDEX by_s ON node_seen.wide (l)',
  'CREATE INDEX by_keys ON node_seen.wide (KEYS(m))',
  'CREATE INDEX by_sai ON node_seen."Quoted" ("vW") USING \'sai\' WITH OPTIONS = {\'case_sensitive\': \'false\'}',
  'CREATE MATERIALIZED VIEW node_seen.seen AS SELECT "K", "vW" FROM node_seen."Quoted" WHERE "K" IS NOT NULL AND "vW" IS NOT NULL ' +
    'PRIMARY KEY ("vW", "K") WITH comment = \'a view\'',
];

/** As JSON, without what differs from server to server or run to run, and what one class of the driver keeps for itself. */
function plain(value, depth = 0) {
  if (value === undefined || typeof value === 'function' || depth > 12)
    return undefined;
  if (typeof value === 'string')
    return value.replace(/127\.0\.0\.1:\d+/g, '127.0.0.1').replace(/\n +at .*/g, ''); // a message may have another error's stack
  if (value === null || typeof value !== 'object')
    return value;
  if (value instanceof cassandra.types.Uuid)
    return 'uuid';
  if (Buffer.isBuffer(value))
    return value.toString('hex');
  if (Array.isArray(value))
    return value.map((one) => plain(one, depth + 1));
  if (value instanceof Map)
    return plain(Object.fromEntries(value), depth + 1);
  const out = {};
  for (const key of Object.keys(value).sort())
    if (!/^(_|domain|stack|id$|coordinator$|innerErrors$|traceId$|queriedHost$|triedHosts$)/.test(key))
      out[key] = plain(value[key], depth + 1);
  return out;
}

function sees(name, object) {
  seen[name] = JSON.parse(JSON.stringify(plain(object) ?? null));
  if (!process.env.NODE_RECORD)
    assert.deepStrictEqual(seen[name], recorded[name], name);
}

async function failure(query, parameters, options) {
  const error = await client.execute(query, parameters, options).then(() => null, (e) => e);
  assert.notStrictEqual(error, null, query);
  return { name: error.name, message: error.message, ...error };
}

before(async () => {
  server = await shared();
  client = servers.connect(server);
  for (const statement of SCHEMA)
    await client.execute(statement);
});

after(async () => {
  await client.execute('DROP KEYSPACE node_seen');
  await disconnect();
  assert.strictEqual(await stop(server), 0);
  if (process.env.NODE_RECORD)
    fs.writeFileSync(RECORDED, JSON.stringify(seen, null, 1) + '\n');
});

test('keyspaces, tables, types, views, indexes', async () => {
  const { keyspaces } = client.metadata;
  await client.metadata.refreshKeyspaces();
  const { name, durableWrites, strategy, strategyOptions } = keyspaces.node_seen;
  sees('keyspace', { name, durableWrites, strategy, strategyOptions });
  for (const table of ['wide', 'Quoted', 'counts', 'nosuch'])
    sees('table ' + table, await client.metadata.getTable('node_seen', table));
  sees('view', await client.metadata.getMaterializedView('node_seen', 'seen'));
  for (const type of ['inner', 'outer', 'nosuch'])
    sees('type ' + type, await client.metadata.getUdt('node_seen', type));
  sees('functions', await client.metadata.getFunctions('node_seen', 'nosuch'));
  sees('aggregates', await client.metadata.getAggregates('node_seen', 'nosuch'));
  for (const table of ['local', 'peers', 'peers_v2', 'size_estimates'])
    sees('table system.' + table, await client.metadata.getTable('system', table));
  sees('table system_schema.columns', await client.metadata.getTable('system_schema', 'columns'));
});

test('the ring', async () => {
  const host = client.hosts.values()[0];
  sees('host', { datacenter: host.datacenter, rack: host.rack, cassandraVersion: host.cassandraVersion, tokens: host.tokens.map(String), up: host.isUp() });
  sees('token ranges', [...client.metadata.getTokenRanges()].map((range) => [String(range.start.getValue()), String(range.end.getValue())]));
  const replicas = client.metadata.getReplicas('node_seen', Buffer.from([0, 0, 0, 1]));
  sees('replicas', replicas.map((one) => one.datacenter));
  sees('schema agreement', await client.metadata.checkSchemaAgreement());
});

test('columns of results and of what is prepared', async () => {
  const parameters = [1, 'x', new Date(0), cassandra.types.Uuid.fromString('123e4567-e89b-12d3-a456-426614174000'), 's', [1]];
  const insert = await client.execute('INSERT INTO node_seen.wide (a, b, c, d, s, l) VALUES (?, ?, ?, ?, ?, ?)', parameters, { prepare: true });
  sees('of an insert', { columns: insert.columns, rows: insert.rows, applied: insert.wasApplied(), pageState: insert.pageState });
  for (const query of [
    'SELECT * FROM node_seen.wide', 'SELECT a AS "A", count(*), max(c), token(a, b), writetime(s), ttl(l) FROM node_seen.wide WHERE a = 1 AND b = \'x\'',
    'SELECT o.i, o.m FROM node_seen.wide', 'SELECT JSON a, l FROM node_seen.wide', "SELECT (int) 1, (text) 'x', (list<int>) [1, 2], (map<int, text>) {1: 'a'}, (tuple<int, text>) (3, 'b') FROM node_seen.counts",
    "UPDATE node_seen.wide SET l = [2] WHERE a = 1 AND b = 'x' AND c = 0 AND d = 123e4567-e89b-12d3-a456-426614174000 IF s = 'z'", 'USE node_seen',
    'DESCRIBE TYPES', "SELECT * FROM system.size_estimates WHERE keyspace_name = 'nosuch'",
  ])
    for (const prepare of [false, true]) {
      if (prepare && /^(USE|DESCRIBE)/.test(query))
        continue;
      const result = await client.execute(query, [], { prepare });
      sees(`${prepare ? 'prepared: ' : ''}${query}`, { columns: result.columns, warnings: result.info.warnings, agreement: result.info.isSchemaInAgreement,
        payload: result.info.customPayload, rowLength: result.rowLength });
    }
});

test('errors and what they tell', async () => {
  const three = cassandra.types.consistencies.three;
  for (const [query, options] of [
    ['SELECT * FROM node_seen.nosuch'], ['SELECT * FROM nosuch.t'], ['SELECT nosuch FROM node_seen.wide'], ['SELEC'], ['SELECT * FROM node_seen.wide WHERE l = [1]'],
    ['CREATE TABLE node_seen.wide (p int PRIMARY KEY)'], ["CREATE KEYSPACE node_seen WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"],
    ['CREATE TYPE node_seen.inner (a int)'], ['SELECT * FROM node_seen.counts', { consistency: three }], ['LIST ROLES'],
    ['UPDATE node_seen.counts SET n = 1 WHERE p = 1'], ["CREATE KEYSPACE bad WITH replication = {'class': 'Nosuch'}"],
    ['INSERT INTO node_seen.counts (p, n) VALUES (1, 1)'],
  ])
    sees('error of ' + query, await failure(query, [], options));
});
