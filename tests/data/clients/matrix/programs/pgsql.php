<?php
// PHP's pgsql extension: its own queries, parameters, metadata, asynchronous, copy, traces.

require __DIR__ . '/steps.php';

set_error_handler(function (int $level, string $message) {
    throw new ErrorException($message);
});

function open(string $settings = '')
{
    $where = sprintf('host=%s port=%s dbname=%s user=%s password=%s sslmode=disable %s', getenv('PGHOST'), getenv('PGPORT'), getenv('PGDATABASE'), getenv('PGUSER'), getenv('PGPASSWORD'), $settings);
    return pg_connect($where, PGSQL_CONNECT_FORCE_NEW);
}

// The result of a statement, or what the server said of it with its code.
function ask($db, string $text, ?array $given = null): mixed
{
    $given === null ? pg_send_query($db, $text) : pg_send_query_params($db, $text, $given);
    $answer = null;
    $failed = null;
    while ($result = pg_get_result($db)) {
        $code = pg_result_error_field($result, PGSQL_DIAG_SQLSTATE);
        if ($code) {
            $failed ??= new RuntimeException($code . ': ' . pg_result_error_field($result, PGSQL_DIAG_MESSAGE_PRIMARY));
        } else {
            $answer = pg_fetch_all($result, PGSQL_NUM);
        }
    }
    return $failed ? throw $failed : $answer;
}

function queries(): void
{
    step('query', fn () => pg_fetch_all(pg_query(open(), 'SELECT id, name, price, made, tags, state FROM item ORDER BY id LIMIT 12')));
    step('every type', fn () => ask(open(), 'SELECT * FROM every_type'));
    step('parameters', fn () => ask(open(), 'SELECT $1::int4, $2::text, $3::bool, $4::float8, $5::jsonb, $6::text, $7::mood, $8::int4[]',
        [7, "it's \\ ünïcode 🙂", 't', '1.5e-7', '{"a": [1, null]}', null, 'happy', '{1,NULL,3}']));
    step('prepared', function () {
        $db = open();
        pg_prepare($db, 'one', 'SELECT * FROM item WHERE id = $1');
        return array_map(fn ($id) => pg_fetch_assoc(pg_execute($db, 'one', [$id])), [1, 2, 10]);
    });
    step('columns', function () {
        $result = pg_query(open(), 'SELECT * FROM every_type');
        return array_map(fn ($n) => [pg_field_name($result, $n), pg_field_type($result, $n), pg_field_type_oid($result, $n), pg_field_size($result, $n), pg_field_table($result, $n)], range(0, pg_num_fields($result) - 1));
    });
    step('meta data', fn () => array_map(fn ($table) => pg_meta_data(open(), $table, true), ['item', 'part', 'shop.customer', 'every_type']));
    step('select by an array', fn () => pg_select(open(), 'item', ['id' => '3']));
    step('convert', fn () => pg_convert(open(), 'item', ['id' => '3', 'name' => "it's", 'price' => '1.5']));
    step('several statements', fn () => ask(open(), "SET TIME ZONE 'UTC'; SELECT id FROM item WHERE id < 3; RESET TIME ZONE"));
    step('copy to', fn () => [pg_copy_to(open(), 'part'), hash('sha256', implode('', pg_copy_to(open(), 'item', '|', 'nothing')))]);
    step('escapes', fn () => [pg_escape_literal(open(), "it's \\"), pg_escape_identifier(open(), 'a"b'), pg_escape_bytea(open(), "\x00a")]);
    step('cursor', function () {
        $db = open();
        pg_query($db, 'BEGIN; DECLARE mine CURSOR FOR SELECT id FROM item ORDER BY id');
        $counts = [];
        do {
            $counts[] = $got = pg_num_rows(pg_query($db, 'FETCH 300 FROM mine'));
        } while ($got > 0);
        pg_query($db, 'CLOSE mine; COMMIT');
        return $counts;
    });
    step('fifty thousand rows', function () {
        $result = pg_query_params(open(), 'SELECT id, note FROM shop.reading WHERE id > $1', [0]);
        $sum = 0;
        while ($row = pg_fetch_row($result)) {
            $sum += $row[0] + strlen($row[1]);
        }
        return $sum;
    });
}

function transactions(): void
{
    foreach (statements('begin') as [$name, $text]) {
        step("transaction: $name", function () use ($text) {
            $db = open();
            pg_query($db, $text);
            $level = ask($db, 'SHOW transaction_isolation');
            pg_query($db, 'SAVEPOINT one');
            $failed = fails(fn () => ask($db, 'SELECT 1 / (id - id) FROM item', []));
            pg_query($db, 'ROLLBACK TO SAVEPOINT one');
            return [$level, $failed, pg_transaction_status($db), ask($db, 'SELECT count(*) FROM item'), ask($db, 'COMMIT')];
        });
    }
}

function errors(): void
{
    foreach (statements('error') as [$name, $text]) {
        step("error: $name", fn () => ask(open(), $text));
        step("error: $name, with parameters", fn () => ask(open(), $text, []));
        step("error: $name, as PHP warns", fn () => pg_query(open(), $text));
    }
    foreach (statements('write') as [$name, $text]) {
        write($name, fn () => ask(open(), $text));
        write("$name, with parameters", fn () => ask(open(), $text, []));
        write("$name, prepared", fn () => pg_prepare($db = open(), 'w', $text) && pg_execute($db, 'w', []));
    }
    write('insert by an array', fn () => pg_insert(open(), 'part', ['item_id' => 1, 'line' => 99]));
    write('update by an array', fn () => pg_update(open(), 'item', ['name' => 'x'], ['id' => 1]));
    write('delete by an array', fn () => pg_delete(open(), 'part', ['line' => 1]));
    write('copy from', fn () => pg_copy_from(open(), 'part', ["1\t77\t1\n"]));
    write('create of a large object', fn () => pg_lo_create(open()) ?: throw new RuntimeException('no object'));
}

function sessions(): void
{
    step('what the server says of itself', function () {
        $db = open();
        $told = pg_version($db);
        return [$told['server'], pg_client_encoding($db), pg_dbname($db), pg_ping($db), pg_parameter_status($db, 'standard_conforming_strings'), pg_connection_status($db)];
    });
    step('settings at connect', fn () => array_map(fn ($name) => ask(open("application_name=matrix options='-c search_path=shop,public -c statement_timeout=4s'"), "SHOW $name"), ['application_name', 'search_path', 'statement_timeout']));
    step('encoding', function () {
        $db = open();
        return [pg_set_client_encoding($db, 'UTF8'), ask($db, "SELECT 'ü'")];
    });
    step('notices', function () {
        $db = open();
        pg_query($db, "SELECT 'warning' ~~~> 'words'");
        return pg_last_notice($db, PGSQL_NOTICE_ALL);
    });
    step('cancel', function () {
        $db = open();
        pg_send_query($db, 'SELECT count(*) FROM generate_series(1, 1000000000)');
        usleep(1_000_000);
        return [pg_cancel_query($db), ask($db, "SELECT 'usable'")];
    });
    step('reset', function () {
        $db = open();
        pg_query($db, 'SET search_path TO shop');
        return [pg_connection_reset($db), ask($db, 'SHOW search_path'), ask($db, 'DISCARD ALL')];
    });
    step('error: statement timeout', function () {
        $db = open();
        pg_query($db, 'SET statement_timeout = 300');
        return ask($db, 'SELECT count(*) FROM generate_series(1, 100000000)');
    });
}

say(['client' => 'PHP pgsql', 'version' => phpversion()]);
queries();
transactions();
errors();
sessions();
