// Steps of a client program: each prints one line of JSON, and none stops the ones behind it.

'use strict';

const path = require('path');

const WAY = process.env.MATRIX_WAY;

// What a step returns, as JSON that is the same for the same values: bytes as hex, dates as ISO,
// what JSON has no number for as text, keys in order.
function plain(value) {
  if (value === undefined || value === null) return null;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'function' || typeof value === 'symbol') return String(value.name ?? '');
  if (typeof value !== 'object') return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'no date' : value.toISOString();
  if (Buffer.isBuffer(value) || value instanceof Uint8Array) {
    return { hex: Buffer.from(value).toString('hex') };
  }
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return [...value].map(plain);
  if (value instanceof Set) return [...value].map(plain);
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, plain(value[key])]));
}

function print(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function client(name, version) {
  print({ client: name, version });
}

// The error that a driver wrapped comes first: its code is Postgres's.
function failure(error) {
  const inner = [error, error?.cause, error?.parent, error?.original, error?.driverError];
  const told = inner.find((each) => /^[0-9A-Z]{5}$/.test(each?.code ?? '')) ?? error;
  const code = told?.code ?? told?.constructor?.name ?? 'Error';
  return { error: String(code), message: String(told?.message ?? told).split('\n')[0] };
}

// A step that hangs would take the others with it.
const STEP_MS_MAX = 20_000;

function bounded(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('the step took too long')), STEP_MS_MAX);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function step(name, run) {
  try {
    print({ step: name, value: plain(await bounded(run())) });
  } catch (error) {
    print({ step: name, ...failure(error) });
  }
}

// A write must fail; directly it is not tried.
async function write(name, run) {
  if (WAY === 'direct') return;
  try {
    print({ step: name, write: true, value: plain(await bounded(run())) });
  } catch (error) {
    print({ step: name, write: true, ...failure(error) });
  }
}

// What a promise fails with, for steps whose failure is the answer.
async function fails(promise) {
  try {
    await promise;
  } catch (error) {
    return failure(error);
  }
  throw new Error('this should have failed');
}

// The version that an installed package says of itself.
function version(name) {
  const fs = require('fs');
  for (const folder of require.resolve.paths(name) ?? []) {
    const file = path.join(folder, name, 'package.json');
    if (fs.existsSync(file)) return JSON.parse(fs.readFileSync(file, 'utf8')).version;
  }
  throw new Error(`${name} is not installed`);
}

// The last line of a program: sockets that a driver left open do not keep it.
function main(run) {
  run().then(
    () => process.exit(0),
    (error) => {
      console.error(error);
      process.exit(1);
    },
  );
}

// The statements that every client asks: errors, writes, ways to begin; see statements.tsv.
function statements(kind) {
  const file = path.join(__dirname, 'statements.tsv');
  const lines = require('fs').readFileSync(file, 'utf8').split('\n').map((line) => line.split('\t'));
  return lines.filter((line) => line[0] === kind).map(([, name, text]) => ({ name, text }));
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const server = {
  host: process.env.PGHOST,
  port: Number(process.env.PGPORT),
  user: process.env.PGUSER,
  password: process.env.PGPASSWORD,
  database: process.env.PGDATABASE,
};

module.exports = {
  WAY, server, client, step, write, fails, failure, version, main, pause, plain, statements,
};
