# ActiveRecord over Ruby's pg: models, batches, transactions, all that its adapter reads of a schema.

require 'stringio'
require 'active_record'
require_relative 'steps'

include Steps

def connect(settings = {})
  ActiveRecord::Base.establish_connection({
    adapter: 'postgresql', host: ENV['PGHOST'], port: ENV['PGPORT'], username: ENV['PGUSER'], password: ENV['PGPASSWORD'],
    database: ENV['PGDATABASE'], pool: 5, sslmode: 'disable'
  }.merge(settings))
end

def with(settings = {})
  connect(settings)
  yield ActiveRecord::Base.connection
ensure
  ActiveRecord::Base.connection_handler.clear_all_connections!
end

class Item < ActiveRecord::Base
  self.table_name = 'item'
  has_many :parts, foreign_key: :item_id
end

class Part < ActiveRecord::Base
  self.table_name = 'part'
  belongs_to :item
end

class Customer < ActiveRecord::Base
  self.table_name = 'shop.customer'
end

def queries
  step('all') { with { Item.order(:id).limit(12).map(&:attributes) } }
  step('where') do
    with { Item.where(id: 1..5).or(Item.where(state: 'happy', id: [10, 11, 20])).where.not(name: nil).order(:id).map(&:attributes) }
  end
  step('includes') { with { Item.includes(:parts).where(id: [1, 2]).order(:id).map { |i| [i.name, i.parts.map(&:line).sort] } } }
  step('joins') { with { Item.joins(:parts).where(part: { line: 1 }).where('item.id < ?', 9).order(:id).pluck(:id, 'part.amount') } }
  step('calculations') do
    with { [Item.count, Item.maximum(:price), Item.average(:id), Item.group(:state).count.sort, Item.sum(:id), Item.exists?(3)] }
  end
  step('find each') { with { n = 0; Item.find_each(batch_size: 170) { |i| n += i.id }; n } }
  step('in batches') { with { Item.in_batches(of: 300).map { |batch| batch.pluck(:id).sum } } }
  step('types') { with { Customer.order(:id).limit(5).map(&:attributes) } }
  step('raw') { with { |c| [c.select_all('SELECT * FROM every_type').rows, c.select_value('SELECT 1'), c.exec_query('SELECT $1::int AS n', 'q', [7]).rows] } }
  step('explain') { with { Item.where(id: 1).explain.lines.first } }
  step('not prepared') { with(prepared_statements: false) { Item.where(id: 3).map(&:attributes) } }
  step('asynchronous threads') { with { (1..10).map { |n| Thread.new { ActiveRecord::Base.connection_pool.with_connection { Item.find(n).name } } }.map(&:value) } }
end

TABLES = ['item', 'part', 'every_type', 'computed', 'parted', 'shop.customer', 'shop.purchase_line', 'shop.product', 'shop.reading',
          '"Mixed Schema"."Mixed Table"'].freeze

def introspection
  step('tables and views') { with { |c| [c.tables.sort, c.views.sort, c.data_sources.sort, c.schema_names.sort] } }
  TABLES.each do |table|
    step("columns of #{table}") { with { |c| c.columns(table).map { |k| [k.name, k.sql_type, k.null, k.default, k.default_function, k.comment, k.collation] } } }
    step("keys of #{table}") { with { |c| [c.primary_keys(table), c.foreign_keys(table).map { |k| [k.from_table, k.to_table, k.options] }] } }
    step("indexes of #{table}") { with { |c| c.indexes(table).map { |i| [i.name, i.columns, i.unique, i.where, i.orders, i.using, i.comment] } } }
    step("checks of #{table}") { with { |c| c.check_constraints(table).map { |k| [k.name, k.expression] } } }
    step("comment of #{table}") { with { |c| [c.table_comment(table), c.table_options(table)] } }
  end
  step('the rest') do
    with do |c|
      [c.extensions.sort, c.current_schema, c.schema_search_path, c.encoding, c.collation, c.ctype, c.client_min_messages, c.database_version,
       c.schema_exists?('shop'), c.table_exists?('item'), c.view_exists?('item_view'), c.index_name_exists?('item', 'item_name'),
       c.max_identifier_length, c.supports_materialized_views?, c.pk_and_sequence_for('"Mixed Case"').map(&:to_s)]
    end
  end
  step('schema dump') do
    with(schema_search_path: 'shop') do |c|
      out = StringIO.new
      ActiveRecord::SchemaDumper.dump(c, out)
      out.string
    end
  end
end

def transactions
  [nil, :read_committed, :repeatable_read, :serializable].each do |isolation|
    step("transaction: #{isolation || 'plain'}") do
      with do |c|
        ActiveRecord::Base.transaction(isolation: isolation) do
          inner = fails { ActiveRecord::Base.transaction(requires_new: true) { c.execute('SELECT 1 / (id - id) FROM item') } }
          [c.select_value('SHOW transaction_isolation'), inner, Item.count]
        end
      end
    end
  end
  step('rollback') { with { ActiveRecord::Base.transaction { raise ActiveRecord::Rollback }; Item.count } }
  step('while preventing writes') { with { ActiveRecord::Base.while_preventing_writes { Item.count } } }
  step('variables') { with(variables: { statement_timeout: '4s', work_mem: '8MB' }, schema_search_path: 'shop,public') { |c| [c.select_value('SHOW statement_timeout'), c.select_value('SHOW search_path')] } }
  step('reset') { with { |c| c.reset!; c.clear_cache!; c.reconnect!; [c.active?, Item.count] } }
end

def errors
  statements('error').each { |name, text| step("error: #{name}") { with { |c| c.execute(text) } } }
  statements('write').each { |name, text| write(name) { with { |c| c.execute(text) } } }
  write('create') { with { Part.create!(item_id: 1, line: 99) } }
  write('insert all') { with { Part.insert_all([{ item_id: 1, line: 99 }]) } }
  write('save') { with { item = Item.find(1); item.name = 'x'; item.save! } }
  write('update all') { with { Item.update_all(name: 'x') } }
  write('delete all') { with { Part.delete_all } }
  write('lock') { with { Item.transaction { Item.lock.find(1) } } }
  write('advisory lock of migrations') { with { |c| raise 'refused' unless c.get_advisory_lock(4711) } }
  write('create table of the schema') { with { |c| c.create_table(:left_behind) } }
  write('disable referential integrity') { with { |c| c.disable_referential_integrity { c.execute('DELETE FROM part') } } }
end

client('ActiveRecord', ActiveRecord::VERSION::STRING)
queries
introspection
transactions
errors
