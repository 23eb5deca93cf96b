// `wr serve` as a process, or the Cassandra that AGAINST names (HOST:PORT).
'use strict';
const { spawn } = require('node:child_process');
const cassandra = require('cassandra-driver');

const against = process.env.AGAINST;
const clients = [];

async function start(...options) {
  const child = spawn(process.env.WR, ['serve', '--until-stdin-ends', ...options], { stdio: ['pipe', 'pipe', 'inherit'] }); // so it ends with this process
  const line = await new Promise((resolve) => child.stdout.once('data', (data) => resolve(data.toString())));
  return { port: Number(/^listening on .*:(\d+)$/m.exec(line)[1]), child };
}

/** Ends it as Ctrl-C does; its status. */
async function stop(server) {
  if (!server.child)
    return 0;
  const ended = new Promise((resolve) => server.child.once('exit', resolve));
  server.child.kill('SIGTERM');
  return ended;
}

/** What all tests of a file ask that need none of their own. */
async function shared() {
  return against ? { port: Number(against.split(':').pop()) } : start('--port', '0');
}

function connect(server, options = {}) {
  const client = new cassandra.Client({ contactPoints: ['127.0.0.1:' + server.port], localDataCenter: 'datacenter1', ...options });
  clients.push(client);
  return client;
}

/** Ends all connections. */
const disconnect = () => Promise.all(clients.map((client) => client.shutdown()));

/** For a test that starts a server: skips where a Cassandra is asked. */
const own = { skip: against ? 'needs a server of its own' : false };

module.exports = { connect, disconnect, own, shared, start, stop };
