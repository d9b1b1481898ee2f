// sequelize: its models, QueryInterface in full, searchPath, describe, transactions, and sequelize-auto.

'use strict';

const { server, client, step, write, fails, version, main, statements } = require('./steps.js');
const { Sequelize, DataTypes, Op, QueryTypes, Transaction } = require('sequelize');

async function withDb(run, settings = {}) {
  const db = new Sequelize({
    dialect: 'postgres', host: server.host, port: server.port, username: server.user, password: server.password,
    database: server.database, logging: false, pool: { max: 3, min: 0 }, retry: { max: 0 }, ...settings,
  });
  try {
    return await run(db);
  } finally {
    await db.close();
  }
}

function models(db) {
  const plain = { timestamps: false, freezeTableName: true };
  const Item = db.define('item', {
    id: { type: DataTypes.INTEGER, primaryKey: true }, name: DataTypes.TEXT, price: DataTypes.DECIMAL(10, 2),
    made: DataTypes.DATE, tags: DataTypes.ARRAY(DataTypes.TEXT), state: DataTypes.ENUM('sad', 'ok', 'happy'),
  }, plain);
  const Part = db.define('part', {
    item_id: { type: DataTypes.INTEGER, primaryKey: true }, line: { type: DataTypes.INTEGER, primaryKey: true },
    amount: DataTypes.INTEGER,
  }, plain);
  Item.hasMany(Part, { foreignKey: 'item_id', as: 'parts' });
  Part.belongsTo(Item, { foreignKey: 'item_id', as: 'item' });
  return { Item, Part };
}

const plainly = (rows) => rows.map((row) => row.get({ plain: true }));

async function queries() {
  await step('authenticate', () => withDb((db) => db.authenticate()));
  await step('version', () => withDb((db) => db.databaseVersion()));
  await step('find all', () => withDb(async (db) => plainly(await models(db).Item.findAll({ order: ['id'], limit: 12 }))));
  await step('where', () => withDb(async (db) => plainly(await models(db).Item.findAll({ order: ['id'], where: {
    [Op.or]: [{ id: { [Op.between]: [3, 5] } }, { name: { [Op.iLike]: 'ITEM 99%' } }, { price: { [Op.is]: null } }],
    state: { [Op.in]: ['ok', 'happy'] }, tags: { [Op.overlap]: ['t1', 't2'] } }, limit: 20 }))));
  await step('include', () => withDb(async (db) => {
    const { Item, Part } = models(db);
    return plainly(await Item.findAll({ where: { id: { [Op.lt]: 4 } }, include: [{ model: Part, as: 'parts' }],
      order: ['id', [{ model: Part, as: 'parts' }, 'line', 'ASC']] }));
  }));
  await step('find and count, aggregates', () => withDb(async (db) => {
    const { Item, Part } = models(db);
    const both = await Item.findAndCountAll({ include: { model: Part, as: 'parts' }, limit: 2, offset: 4, order: ['id'],
      distinct: true });
    return [both.count, both.rows.map((row) => [row.id, row.parts.length]), await Item.count(), await Item.max('price'),
      await Part.sum('amount', { where: { line: 1 } }), await Item.findByPk(7), await Item.findOne({ where: { id: 0 } }),
      await Item.findAll({ attributes: ['state', [db.fn('count', db.col('id')), 'n']], group: 'state', order: ['state'],
        raw: true })];
  }));
  await step('raw with replacements', () => withDb((db) => db.query(
    'SELECT :a::int4 a, :b::text b, id FROM item WHERE id IN (:ids) ORDER BY id',
    { replacements: { a: 1, b: "it's", ids: [1, 2] }, type: QueryTypes.SELECT })));
  await step('raw with bind', () => withDb((db) => db.query('SELECT $1::int4 a, $2::text b, $3::jsonb c, $4::timestamptz d',
    { bind: [1, "it's", JSON.stringify({ a: 1 }), new Date('2024-02-29T00:00:00Z')], type: QueryTypes.SELECT })));
  await step('every type', () => withDb((db) => db.query('SELECT * FROM every_type', { type: QueryTypes.SELECT })));
  await step('time zone', () => withDb((db) => db.query('SHOW timezone', { type: QueryTypes.SELECT }),
    { timezone: '+05:30' }));
  await step('standard settings kept', () => withDb((db) => db.query('SHOW client_min_messages', { plain: true }),
    { dialectOptions: { clientMinMessages: 'error' }, standardConformingStrings: true, keepDefaultTimezone: true }));
}

async function introspection() {
  const tables = ['item', 'part', 'Mixed Case', 'every_type', 'computed', 'parted',
    { tableName: 'customer', schema: 'shop' }, { tableName: 'purchase', schema: 'shop' }];
  const label = (table) => table.tableName ?? table;
  await step('all tables', () => withDb(async (db) => (await db.getQueryInterface().showAllTables()).map((each) =>
    JSON.stringify(each)).sort()));
  await step('all schemas', () => withDb(async (db) => (await db.showAllSchemas()).sort()));
  await step('all databases', () => withDb((db) => db.getQueryInterface().listDatabases?.() ?? []));
  for (const table of tables) {
    await step(`describe ${label(table)}`, () => withDb((db) => db.getQueryInterface().describeTable(table)));
    await step(`indexes of ${label(table)}`, () => withDb((db) => db.getQueryInterface().showIndex(table)));
    await step(`constraints of ${label(table)}`, () => withDb((db) => db.getQueryInterface().showConstraint(table)));
    await step(`foreign keys of ${label(table)}`, () => withDb((db) =>
      db.getQueryInterface().getForeignKeyReferencesForTable(table)));
  }
  await step('foreign keys of several', () => withDb((db) =>
    db.getQueryInterface().getForeignKeysForTables(['item', 'part'])));
  await step('table exists', () => withDb(async (db) => [
    await db.getQueryInterface().tableExists('item'), await db.getQueryInterface().tableExists('nothing')]));
  await step('model describe', () => withDb(async (db) => models(db).Item.describe()));
  await step('search path', () => withDb(async (db) => {
    const { Item } = models(db);
    return [await db.query('SHOW search_path', { searchPath: 'shop, public', type: QueryTypes.SELECT, supportsSearchPath: true }),
      plainly(await Item.findAll({ searchPath: 'shop, public', where: { id: 3 } })),
      plainly(await Item.findAll({ where: { id: 4 } }))];
  }, { dialectOptions: { prependSearchPath: true } }));
  await step('schema of a model', () => withDb(async (db) => db.define('customer', {
    id: { type: DataTypes.INTEGER, primaryKey: true } }, { schema: 'shop', timestamps: false, freezeTableName: true }).count()));
  await step('sequelize-auto', async () => {
    const { SequelizeAuto } = require('sequelize-auto');
    const auto = new SequelizeAuto(server.database, server.user, server.password, { host: server.host, port: server.port,
      dialect: 'postgres', directory: null, noWrite: true, logging: false, schema: 'public', views: true,
      skipTables: ['no_column'] });
    const write = console.log;
    console.log = () => {};
    try {
      const told = await auto.run();
      return told.text;
    } finally {
      console.log = write;
    }
  });
}

async function transactions() {
  for (const level of [undefined, ...Object.values(Transaction.ISOLATION_LEVELS)]) {
    await step(`transaction: ${level ?? 'plain'}`, () => withDb((db) => db.transaction({ isolationLevel: level }, async (t) => {
      const { Item } = models(db);
      const inner = await fails(db.transaction({ transaction: t }, (s) => db.query('SELECT 1/0', { transaction: s })));
      return [inner, await Item.count({ transaction: t }), await db.query('SHOW transaction_isolation',
        { transaction: t, plain: true })];
    })));
  }
  for (const deferrable of Object.values(Sequelize.Deferrable).filter((each) => each.name?.startsWith('SET_'))) {
    await step(`constraints: ${deferrable.name}`, () => withDb((db) => db.transaction({ deferrable: new deferrable() },
      async (t) => models(db).Item.count({ transaction: t }))));
  }
  await step('unmanaged', () => withDb(async (db) => {
    const t = await db.transaction();
    const failed = await fails(db.query('SELECT no_such_column FROM item', { transaction: t }));
    await t.rollback();
    return [failed, await models(db).Item.count()];
  }));
  await step('read only transaction', () => withDb((db) => db.transaction({ readOnly: true }, (t) =>
    models(db).Item.count({ transaction: t }))));
}

async function errors() {
  for (const { name, text } of statements('error')) await step(`error: ${name}`, () => withDb((db) => db.query(text)));
  for (const { name, text } of statements('write')) await write(name, () => withDb((db) => db.query(text)));
  const left = (db) => db.define('left_behind', { a: DataTypes.INTEGER });
  await write('create', () => withDb((db) => models(db).Part.create({ item_id: 1, line: 99 })));
  await write('bulk create', () => withDb((db) => models(db).Part.bulkCreate([{ item_id: 1, line: 99 }])));
  await write('upsert', () => withDb((db) => models(db).Item.upsert({ id: 1, name: 'x' })));
  await write('find or create', () => withDb((db) => models(db).Item.findOrCreate({ where: { id: 0 }, defaults: { name: 'x' } })));
  await write('update of models', () => withDb((db) => models(db).Item.update({ name: 'x' }, { where: { id: 1 } })));
  await write('increment', () => withDb((db) => models(db).Part.increment('amount', { where: { line: 1 } })));
  await write('destroy', () => withDb((db) => models(db).Part.destroy({ where: { line: 1 } })));
  await write('truncate of a model', () => withDb((db) => models(db).Part.destroy({ truncate: true })));
  await write('lock of rows', () => withDb((db) => db.transaction((t) => models(db).Item.findAll({ transaction: t, lock: true }))));
  await write('sync', () => withDb((db) => left(db).sync()));
  await write('sync with alter', () => withDb((db) => { models(db); return db.sync({ alter: true }); }));
  await write('create schema', () => withDb((db) => db.createSchema('left_behind')));
  await write('add column', () => withDb((db) => db.getQueryInterface().addColumn('item', 'left', DataTypes.INTEGER)));
}

main(async () => {
  client('sequelize', version('sequelize'));
  await queries();
  await introspection();
  await transactions();
  await errors();
});
