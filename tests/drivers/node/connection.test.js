// The Node driver: a server that comes back, names and passwords, TLS.
'use strict';
const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, test } = require('node:test');
const cassandra = require('cassandra-driver');
const { connect, disconnect, own, start, stop } = require('./server.js');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'widerow-node-'));

after(async () => {
  await disconnect();
  fs.rmSync(folder, { recursive: true });
  setTimeout(() => process.exit(), 1000); // the driver looks for a host that has gone even after it has been shut down
});

/** Until it succeeds. Statements may fail also when others have come through: the control connection, once it is back, makes another host of the server's
 * address (ControlConnection, 'Adding host'), which has no connection at first. */
async function patiently(run) {
  for (let tries = 0; ; tries++) {
    try {
      return await run();
    } catch (error) {
      assert.ok(tries < 200, `no connection in 20 s: ${error}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

test('a server comes back, and statements are prepared again', own, async () => {
  const database = path.join(folder, 'db');
  let server = await start(database, '--port', '0');
  const client = connect(server, { policies: { reconnection: new cassandra.policies.reconnection.ConstantReconnectionPolicy(100) } });
  await client.execute("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
  await client.execute('CREATE TABLE k.t (p int PRIMARY KEY, v int)');
  const insert = (p, v) => client.execute('INSERT INTO k.t (p, v) VALUES (?, ?)', [p, v], { prepare: true });
  await insert(1, 2);
  assert.strictEqual(await stop(server), 0);
  await assert.rejects(insert(2, 3));
  server = await start(database, '--port', String(server.port));
  await patiently(() => insert(3, 4));
  for (const [p, v] of [[1, 2], [3, 4]])
    assert.strictEqual((await patiently(() => client.execute('SELECT v FROM k.t WHERE p = ?', [p], { prepare: true }))).first().v, v);
  await client.shutdown();
  assert.strictEqual(await stop(server), 0);
});

test('names and passwords', own, async () => {
  const server = await start('--auth', '--port', '0');
  const as = (name, password) => connect(server, { credentials: { username: name, password } });
  assert.strictEqual((await as('cassandra', 'cassandra').execute('SELECT key FROM system.local')).first().key, 'local');
  for (const client of [as('cassandra', 'wrong'), as('nobody', 'cassandra'), connect(server)]) {
    const refused = await client.connect().then(() => null, (error) => Object.values(error.innerErrors)[0]);
    assert.strictEqual(refused?.name, 'AuthenticationError');
  }
  await disconnect();
  assert.strictEqual(await stop(server), 0);
});

test('TLS', own, async () => {
  execFileSync(process.env.CERTIFICATES, [folder]);
  const file = (name) => path.join(folder, name);
  const read = (name) => fs.readFileSync(file(name));
  const server = await start('--port', '0', '--tls-cert', file('server.pem'), '--tls-key', file('server.key'), '--tls-client-ca', file('ca.pem'));
  const trusting = { ca: [read('ca.pem')], host: '127.0.0.1' };
  const client = connect(server, { sslOptions: { ...trusting, cert: read('client.pem'), key: read('client.key') } });
  assert.strictEqual((await client.execute('SELECT ssl_enabled FROM system_views.clients LIMIT 1')).first().ssl_enabled, true);
  await assert.rejects(connect(server, { sslOptions: trusting, socketOptions: { connectTimeout: 2000, readTimeout: 2000 } }).connect());
  await assert.rejects(connect(server, { socketOptions: { connectTimeout: 2000, readTimeout: 2000 } }).connect());
  await disconnect();
  assert.strictEqual(await stop(server), 0);
});
