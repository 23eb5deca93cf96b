// The Node driver: each version, metadata, types, prepared and paged statements, batches, conditions, counters, tracing, errors.
'use strict';
const assert = require('node:assert');
const { after, before, test } = require('node:test');
const cassandra = require('cassandra-driver');
const { disconnect, shared, stop, ...servers } = require('./server.js');
const { types } = cassandra;

let server;
const connect = (options = {}) => servers.connect(server, options);

before(async () => {
  server = await shared();
  const client = connect();
  await client.execute('DROP KEYSPACE IF EXISTS node_k');
  await client.execute("CREATE KEYSPACE node_k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
  await client.execute('CREATE TYPE node_k.addr (street text, zip int)');
  await client.execute('CREATE TABLE node_k.t (p int, c int, v text, PRIMARY KEY (p, c))');
  await client.execute('CREATE TABLE node_k.n (p int PRIMARY KEY, n counter)');
});

after(async () => {
  await connect().execute('DROP KEYSPACE node_k');
  await disconnect();
  assert.strictEqual(await stop(server), 0);
});

for (const version of [3, 4]) {
  test(`connects with v${version}`, async () => {
    const client = connect({ protocolOptions: { maxVersion: version } });
    const result = await client.execute('SELECT cql_version FROM system.local');
    assert.strictEqual(result.first().cql_version, '3.4.7');
    assert.strictEqual(client.controlConnection.protocolVersion, version);
    assert.strictEqual(client.hosts.length, 1);
  });
}

test('all types there and back', async () => {
  const client = connect({ keyspace: 'node_k' });
  const values = {
    p: 1, a: 'ascii', b: types.Long.fromString('9007199254740993'), bl: Buffer.from('00ff', 'hex'), bo: true,
    d: types.LocalDate.fromString('2024-02-29'), de: types.BigDecimal.fromString('1.50'), du: types.Duration.fromString('1mo2d3ns'),
    f: 0.5, i: types.InetAddress.fromString('127.0.0.1'), l: [1, 2], m: { x: 1 }, s: ['a', 'b'], si: -1, te: 'grün', ti: types.LocalTime.fromString('10:00:00'),
    ts: new Date(1709210096789), tu: types.TimeUuid.now(), tup: new types.Tuple(1, 'x'), ty: 127, u: types.Uuid.random(), ud: { street: 'Main', zip: 5 },
    va: types.Integer.fromString('123456789012345678901234567890'),
  };
  const kinds = {
    p: 'int PRIMARY KEY', a: 'ascii', b: 'bigint', bl: 'blob', bo: 'boolean', d: 'date', de: 'decimal', du: 'duration', f: 'double', i: 'inet', l: 'list<int>',
    m: 'map<text, int>', s: 'set<text>', si: 'smallint', te: 'text', ti: 'time', ts: 'timestamp', tu: 'timeuuid', tup: 'tuple<int, text>', ty: 'tinyint',
    u: 'uuid', ud: 'frozen<addr>', va: 'varint',
  };
  const names = Object.keys(values);
  await client.execute(`CREATE TABLE every (${names.map((name) => name + ' ' + kinds[name]).join(', ')})`);
  await client.execute(`INSERT INTO every (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`, names.map((name) => values[name]), { prepare: true });
  const row = (await client.execute('SELECT * FROM every WHERE p = ?', [1], { prepare: true })).first();
  for (const name of names)
    assert.strictEqual(JSON.stringify(row[name]), JSON.stringify(values[name]), name);
  await client.execute('INSERT INTO every (p) VALUES (2)');
  const empty = (await client.execute('SELECT * FROM every WHERE p = 2')).first();
  for (const name of names.slice(1))
    assert.strictEqual(empty[name], null, name);
});

test('named parameters, nulls and what is not set', async () => {
  const client = connect({ keyspace: 'node_k' });
  const insert = 'INSERT INTO t (p, c, v) VALUES (:p, :c, :v)';
  await client.execute(insert, { v: 'kept', p: 9, c: 1 }, { prepare: true });
  await client.execute(insert, { v: types.unset, p: 9, c: 1 }, { prepare: true });
  await client.execute(insert, { v: null, p: 9, c: 2 }, { prepare: true });
  const rows = (await client.execute('SELECT v FROM t WHERE p = ?', [9], { prepare: true })).rows;
  assert.deepStrictEqual(rows.map((row) => row.v), ['kept', null]);
  await client.execute("INSERT INTO t (p, c, v) VALUES (9, 3, '')");
  assert.strictEqual((await client.execute('SELECT v FROM t WHERE p = 9 AND c = 3')).first().v, '');
});

test('five hundred at once, then in pages', async () => {
  const client = connect({ keyspace: 'node_k' });
  await Promise.all([...Array(500).keys()].map((i) => client.execute('INSERT INTO t (p, c, v) VALUES (?, ?, ?)', [1, i, 'v' + i], { prepare: true })));
  const seen = [];
  await new Promise((resolve, reject) => client.eachRow('SELECT c FROM t WHERE p = 1', [], { fetchSize: 64, autoPage: true },
    (n, row) => seen.push(row.c), (error) => (error ? reject(error) : resolve())));
  assert.deepStrictEqual(seen, [...Array(500).keys()]);
});

test('batches, conditions, counters', async () => {
  const client = connect({ keyspace: 'node_k' });
  const insert = 'INSERT INTO t (p, c, v) VALUES (?, ?, ?)';
  await client.batch([{ query: insert, params: [2, 1, 'a'] }, { query: insert, params: [2, 2, 'b'] }], { prepare: true });
  assert.strictEqual((await client.execute('SELECT count(*) FROM t WHERE p = 2')).first().count.toNumber(), 2);
  const refused = await client.execute(insert + ' IF NOT EXISTS', [2, 1, 'c'], { prepare: true });
  assert.strictEqual(refused.wasApplied(), false);
  assert.strictEqual(refused.first().v, 'a');
  await client.batch([{ query: 'UPDATE n SET n = n + ? WHERE p = ?', params: [types.Long.fromNumber(7), 1] }], { prepare: true, counter: true });
  assert.strictEqual((await client.execute('SELECT n FROM n WHERE p = 1')).first().n.toNumber(), 7);
});

test('metadata, traces, warnings', async () => {
  const client = connect({ keyspace: 'node_k' });
  await client.connect();
  const table = await client.metadata.getTable('node_k', 't');
  assert.deepStrictEqual(table.columns.map((column) => column.name), ['c', 'p', 'v']);
  assert.deepStrictEqual(table.partitionKeys.map((column) => column.name), ['p']);
  const result = await client.execute('SELECT count(*) FROM t', [], { traceQuery: true });
  assert.deepStrictEqual(result.info.warnings, ['Aggregation query used without partition key']);
  assert.strictEqual((await client.metadata.getTrace(result.info.traceId)).requestType, 'Execute CQL3 query');
});

test('errors', async () => {
  const client = connect({ keyspace: 'node_k' });
  await assert.rejects(client.execute('SELECT nosuch FROM t'), { code: types.responseErrorCodes.invalid, message: 'Undefined column name nosuch in table node_k.t' });
  await assert.rejects(client.execute('SELEC'), { code: types.responseErrorCodes.syntaxError });
  await assert.rejects(client.execute('CREATE TABLE t (p int PRIMARY KEY)'), { code: types.responseErrorCodes.alreadyExists, keyspace: 'node_k', table: 't' });
});

test('a statement is prepared again after a change of its table', async () => {
  const client = connect({ keyspace: 'node_k' });
  await client.execute('CREATE TABLE changing (p int PRIMARY KEY, v int)');
  await client.execute('INSERT INTO changing (p, v) VALUES (?, ?)', [1, 2], { prepare: true });
  await client.execute('ALTER TABLE changing ADD w int');
  await client.execute('INSERT INTO changing (p, v) VALUES (?, ?)', [2, 3], { prepare: true });
  assert.strictEqual((await client.execute('SELECT v FROM changing WHERE p = ?', [2], { prepare: true })).first().v, 3);
});
