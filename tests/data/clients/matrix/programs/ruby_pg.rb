# Ruby's pg: simple, with parameters, prepared, binary, single rows, pipelines, asynchronous, copy.

require 'digest'
require 'pg'
require_relative 'steps'

include Steps

SERVER = { host: ENV['PGHOST'], port: ENV['PGPORT'], user: ENV['PGUSER'], password: ENV['PGPASSWORD'],
           dbname: ENV['PGDATABASE'], sslmode: 'disable' }.freeze

def with(settings = {})
  connection = PG.connect(SERVER.merge(settings))
  connection.set_notice_processor { |_| }
  yield connection
ensure
  connection&.close
end

PARAMETERS = 'SELECT $1::int4, $2::int8, $3::text, $4::bool, $5::float8, $6::numeric, $7::bytea, $8::timestamptz, ' \
             '$9::int4[], $10::jsonb, $11::uuid, $12::inet, $13::text, $14::mood'.freeze
VALUES = [7, 9_007_199_254_740_993, "it's \\ ünïcode 🙂", true, 1.5e-7, '1234.5600', '\x00ff', '2024-02-29 12:00:00+00',
          '{1,NULL,3}', '{"a": [1, null]}', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '10.0.0.0/8', nil, 'happy'].freeze

def queries
  step('rows') { with { |c| c.exec('SELECT id, name, price, made, tags, state FROM item ORDER BY id LIMIT 12').to_a } }
  step('columns') do
    with do |c|
      result = c.exec('SELECT * FROM every_type')
      (0...result.nfields).map { |n| [result.fname(n), result.ftype(n), result.fmod(n), result.fsize(n), result.ftable(n)] }
    end
  end
  step('every type') { with { |c| c.exec('SELECT * FROM every_type').values } }
  step('parameters') { with { |c| c.exec_params(PARAMETERS, VALUES).values } }
  step('binary') do
    with { |c| c.exec_params('SELECT a_bool, a_int4, a_int8, a_float8, a_bytea, a_text FROM every_type', [], 1).values }
  end
  step('decoded by its types') do
    with do |c|
      c.type_map_for_results = PG::BasicTypeMapForResults.new(c)
      c.type_map_for_queries = PG::BasicTypeMapForQueries.new(c)
      [c.exec('SELECT a_bool, a_int4, a_float8, a_bytea, a_date, a_timestamptz, an_array, a_jsonb FROM every_type WHERE a_int4 > 0').values,
       c.exec_params('SELECT $1::int4[], $2::bool', [[1, nil, 3], true]).values]
    end
  end
  step('prepared') do
    with do |c|
      c.prepare('one', 'SELECT * FROM item WHERE id = $1')
      about = c.describe_prepared('one')
      [about.nparams, about.paramtype(0), about.fields, [1, 2, 10].map { |id| c.exec_prepared('one', [id]).to_a },
       c.exec('DEALLOCATE one').cmd_status]
    end
  end
  step('several statements') do
    with do |c|
      c.send_query("SET TIME ZONE 'UTC'; SELECT id FROM item WHERE id < 3; RESET TIME ZONE")
      answers = []
      while (result = c.get_result)
        answers << [result.cmd_status, result.values]
      end
      answers
    end
  end
  step('empty query') { with { |c| c.exec('').result_status } }
end

def streams
  step('single rows') do
    with do |c|
      c.send_query_params('SELECT id, note FROM shop.reading WHERE id > $1', [0])
      c.set_single_row_mode
      sum = 0
      c.get_result.stream_each { |row| sum += row['id'].to_i + row['note'].length }
      [sum, c.exec("SELECT 'usable'").values]
    end
  end
  step('cursor') do
    with do |c|
      c.transaction do
        c.exec('DECLARE mine CURSOR FOR SELECT id FROM item ORDER BY id')
        counts = []
        loop do
          rows = c.exec('FETCH 300 FROM mine')
          counts << rows.ntuples
          break if rows.ntuples.zero?
        end
        counts << c.describe_portal('mine').fields
        c.exec('CLOSE mine')
        counts
      end
    end
  end
  step('pipeline') do
    with do |c|
      c.enter_pipeline_mode
      10.times { |n| c.send_query_params('SELECT name FROM item WHERE id = $1', [n + 1]) }
      c.send_query_params('SELECT 1 / (id - id) FROM item', [])
      c.send_query_params('SELECT 2', [])
      c.pipeline_sync
      c.send_query_params("SELECT 'after'", [])
      c.pipeline_sync
      answers = []
      until answers.count('sync') == 2
        result = c.get_result
        next if result.nil?

        answers << (result.result_status == PG::PGRES_PIPELINE_SYNC ? 'sync' : [result.result_status, result.values])
      end
      c.exit_pipeline_mode
      answers
    end
  end
  ['COPY (SELECT id, name, tags FROM item ORDER BY id) TO STDOUT', 'COPY part (item_id, line) TO STDOUT',
   'COPY item TO STDOUT (FORMAT csv, HEADER)', 'COPY (SELECT * FROM part ORDER BY 1, 2) TO STDOUT (FORMAT binary)'].each do |text|
    step(text) do
      with do |c|
        bytes = +''
        c.copy_data(text) { while (row = c.get_copy_data) do bytes << row.b end }
        [bytes.bytesize, Digest::SHA256.hexdigest(bytes), c.exec("SELECT 'usable'").values]
      end
    end
  end
  write('copy in') { with { |c| c.copy_data('COPY part FROM STDIN') { c.put_copy_data("1\t77\t1\n") } } }
end

def transactions
  statements('begin').each do |name, text|
    step("transaction: #{name}") do
      with do |c|
        c.exec(text)
        status = c.transaction_status
        level = c.exec('SHOW transaction_isolation').values
        c.exec('SAVEPOINT one')
        failed = fails { c.exec('SELECT 1 / (id - id) FROM item') }
        c.exec('ROLLBACK TO SAVEPOINT one')
        [status, level, failed, c.exec('SELECT count(*) FROM item').values, c.exec('COMMIT').cmd_status]
      end
    end
  end
  step('transaction block') do
    with { |c| [fails { c.transaction { c.exec('SELECT no_such_column FROM item') } }, c.exec("SELECT 'usable'").values] }
  end
end

def errors
  told = [PG::PG_DIAG_SEVERITY, PG::PG_DIAG_SQLSTATE, PG::PG_DIAG_MESSAGE_PRIMARY, PG::PG_DIAG_STATEMENT_POSITION,
          PG::PG_DIAG_COLUMN_NAME, PG::PG_DIAG_TABLE_NAME]
  statements('error').each do |name, text|
    step("error: #{name}") { with { |c| c.exec(text).values } }
    step("error: #{name}, with parameters") { with { |c| c.exec_params(text, []).values } }
    step("error: #{name}, its fields") do
      with do |c|
        c.send_query(text)
        result = c.get_result
        told.map { |field| result.error_field(field) }
      end
    end
  end
  statements('write').each do |name, text|
    write(name) { with { |c| c.exec(text) } }
    write("#{name}, with parameters") { with { |c| c.exec_params(text, []) } }
    write("#{name}, prepared") { with { |c| c.prepare('w', text) && c.exec_prepared('w') } }
    write("#{name}, in a transaction") { with { |c| c.exec('BEGIN READ WRITE') && c.exec(text) && c.exec('COMMIT') } }
  end
  write('create of a large object') { with { |c| c.transaction { c.lo_creat } } }
  step('listen') { with { |c| [c.exec('LISTEN left_behind').cmd_status, c.exec('UNLISTEN *').cmd_status] } }
end

def sessions
  step('settings at connect') do
    with(application_name: 'matrix', options: '-c search_path=shop,public -c statement_timeout=4s', client_encoding: 'UTF8') do |c|
      %w[application_name search_path statement_timeout client_encoding].map { |name| c.exec("SHOW #{name}").values }
    end
  end
  step('what the server says of itself') do
    with { |c| [c.server_version, c.protocol_version, %w[server_encoding integer_datetimes TimeZone DateStyle].map { |n| c.parameter_status(n) }] }
  end
  step('encodings') { with { |c| c.internal_encoding = Encoding::UTF_8; [c.get_client_encoding, c.exec("SELECT 'ü'").values] } }
  step('reset') do
    with do |c|
      c.exec('SET search_path TO shop')
      c.reset
      [c.exec('SHOW search_path').values, c.exec('DISCARD ALL').cmd_status]
    end
  end
  step('notices') do
    with do |c|
      notices = []
      c.set_notice_receiver { |result| notices << [result.error_field(PG::PG_DIAG_SQLSTATE), result.error_field(PG::PG_DIAG_MESSAGE_PRIMARY)] }
      c.exec("SELECT 'warning' ~~~> 'words'")
      notices
    end
  end
  step('cancel') do
    with do |c|
      c.send_query('SELECT count(*) FROM generate_series(1, 1000000000)')
      sleep 1
      c.cancel
      [fails { c.get_last_result }, c.exec("SELECT 'usable'").values]
    end
  end
  step('error: statement timeout') { with { |c| c.exec('SET statement_timeout = 300') && c.exec('SELECT count(*) FROM generate_series(1, 100000000)') } }
  step('conninfo and ping') { [PG::Connection.ping(SERVER), with { |c| c.conninfo_hash[:dbname] }] }
end

client('Ruby pg', PG::VERSION)
queries
streams
transactions
errors
sessions
