// drizzle: its builder and relational queries over node-postgres and postgres.js, and drizzle-kit.

'use strict';

const fs = require('fs');
const os = require('os');
const path = require('path');
const { execFile } = require('child_process');
const { server, client, step, write, fails, version, main, statements } = require('./steps.js');
const { sql, eq, lt, and, inArray, desc, count, relations, placeholder } = require('drizzle-orm');
const core = require('drizzle-orm/pg-core');

const mood = core.pgEnum('mood', ['sad', 'ok', 'happy']);
const item = core.pgTable('item', {
  id: core.integer('id').primaryKey(), name: core.text('name').notNull(),
  price: core.numeric('price', { precision: 10, scale: 2 }), made: core.timestamp('made', { withTimezone: true }),
  tags: core.text('tags').array(), state: mood('state'),
});
const part = core.pgTable('part', {
  item_id: core.integer('item_id').references(() => item.id), line: core.integer('line'), amount: core.integer('amount'),
}, (table) => [core.primaryKey({ columns: [table.item_id, table.line] })]);
const itemRelations = relations(item, ({ many }) => ({ parts: many(part) }));
const partRelations = relations(part, ({ one }) => ({
  item: one(item, { fields: [part.item_id], references: [item.id] }) }));
const schema = { item, part, itemRelations, partRelations };

const DRIVERS = {
  'node-postgres': () => {
    const pool = new (require('pg').Pool)({ ...server, max: 3 });
    const db = require('drizzle-orm/node-postgres').drizzle(pool, { schema });
    return { db, end: () => pool.end(), rows: (result) => result.rows };
  },
  'postgres.js': () => {
    const sqlClient = require('postgres')({ ...server, max: 3, onnotice: () => {} });
    const db = require('drizzle-orm/postgres-js').drizzle(sqlClient, { schema });
    return { db, end: () => sqlClient.end(), rows: (result) => [...result] };
  },
};

async function over(driver) {
  const withDb = async (run) => {
    const { db, end, rows } = DRIVERS[driver]();
    try {
      return await run(db, rows);
    } finally {
      await end();
    }
  };
  const named = (name) => `${name}, ${driver}`;
  await step(named('select'), () => withDb((db) => db.select().from(item).orderBy(item.id).limit(12)));
  await step(named('where and join'), () => withDb((db) => db.select({ id: item.id, line: part.line,
    loud: sql`upper(${item.name})` }).from(item).leftJoin(part, eq(part.item_id, item.id))
    .where(and(lt(item.id, 9), inArray(part.line, [0, 1]))).orderBy(item.id, part.line)));
  await step(named('group'), () => withDb((db) => db.select({ state: item.state, n: count() }).from(item)
    .groupBy(item.state).having(({ n }) => sql`${n} > 10`).orderBy(desc(item.state))));
  await step(named('with'), () => withDb((db) => {
    const few = db.$with('few').as(db.select().from(item).where(lt(item.id, 5)));
    return db.with(few).select().from(few).orderBy(few.id);
  }));
  await step(named('relations'), () => withDb((db) => db.query.item.findMany({
    where: lt(item.id, 4), with: { parts: { columns: { line: true, amount: true }, orderBy: [part.line] } },
    extras: { loud: sql`upper(${item.name})`.as('loud') }, orderBy: [item.id] })));
  await step(named('prepared'), () => withDb(async (db) => {
    const one = db.select().from(item).where(eq(item.id, placeholder('id'))).prepare('one');
    return [await one.execute({ id: 1 }), await one.execute({ id: 10 })];
  }));
  await step(named('count of a table'), () => withDb((db) => db.$count(item, lt(item.id, 100))));
  await step(named('raw'), () => withDb(async (db, rows) =>
    rows(await db.execute(sql`SELECT ${1}::int4 a, ${"it's"}::text b, ${item.name} FROM ${item} WHERE ${item.id} = ${2}`))));
  for (const isolationLevel of ['read committed', 'repeatable read', 'serializable']) {
    for (const accessMode of ['read only', 'read write']) {
      await step(named(`transaction: ${isolationLevel}, ${accessMode}`), () => withDb((db, rows) =>
        db.transaction(async (tx) => {
          const inner = await fails(tx.transaction((inside) => inside.execute(sql`SELECT 1/0`)));
          return [inner, await tx.$count(item), rows(await tx.execute(sql`SHOW transaction_isolation`))];
        }, { isolationLevel, accessMode, deferrable: accessMode === 'read only' })));
    }
  }
  for (const { name, text } of statements('error')) {
    await step(named(`error: ${name}`), () => withDb((db) => db.execute(sql.raw(text))));
  }
  for (const { name, text } of statements('write')) {
    await write(named(name), () => withDb((db) => db.execute(sql.raw(text))));
  }
  await write(named('insert builder'), () => withDb((db) => db.insert(part).values({ item_id: 1, line: 99 })));
  await write(named('upsert builder'), () => withDb((db) => db.insert(item).values({ id: 1, name: 'x' })
    .onConflictDoUpdate({ target: item.id, set: { name: 'x' } })));
  await write(named('update builder'), () => withDb((db) => db.update(item).set({ name: 'x' }).returning()));
  await write(named('delete builder'), () => withDb((db) => db.delete(part)));
  await write(named('lock builder'), () => withDb((db) => db.select().from(item).for('update', { skipLocked: true })));
  await write(named('in a read write transaction'), () => withDb((db) => db.transaction((tx) =>
    tx.delete(part), { accessMode: 'read write' })));
}

// Runs drizzle-kit in a folder of its own, with the settings it needs there.
function kit(command, config) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'drizzle-'));
  fs.writeFileSync(path.join(folder, 'drizzle.config.json'), JSON.stringify({
    dialect: 'postgresql', out: './out', schema: './out/schema.ts', schemaFilter: ['public', 'shop'],
    dbCredentials: { ...server, ssl: false }, ...config,
  }));
  fs.writeFileSync(path.join(folder, 'pushed.ts'), `import { pgSchema, integer } from 'drizzle-orm/pg-core';
    export const left = pgSchema('left_behind');
    export const table = left.table('left_behind', { id: integer() });`);
  const modules = require.resolve.paths('drizzle-kit').find((each) => fs.existsSync(path.join(each, 'drizzle-kit')));
  fs.symlinkSync(modules, path.join(folder, 'node_modules'));
  const program = path.join(modules, 'drizzle-kit', 'bin.cjs');
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [program, ...command], { cwd: folder, timeout: 90_000 }, (error, stdout, stderr) => {
      const files = Object.fromEntries(['schema.ts', 'relations.ts'].map((name) => {
        const file = path.join(folder, 'out', name);
        return [name, fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null];
      }));
      fs.rmSync(folder, { recursive: true });
      const told = `${stdout}\n${stderr}`.match(/error: .*|refused.*|not allowed.*/)?.[0];
      if (error || told) reject(new Error(told ?? String(error.message)));
      else resolve(files);
    });
  });
}

main(async () => {
  client('drizzle', `${version('drizzle-orm')}, kit ${version('drizzle-kit')}`);
  for (const driver of Object.keys(DRIVERS)) await over(driver);
  await step('drizzle-kit introspect', () => kit(['introspect'], {}));
  await write('drizzle-kit push', () => kit(['push', '--force'],
    { schema: './pushed.ts', schemaFilter: ['left_behind'] }));
});
