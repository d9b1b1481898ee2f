<?php
// PDO's pgsql driver: prepared on the server and emulated, cursors, copy, column metadata.

require __DIR__ . '/steps.php';

function open(array $options = [], string $settings = ''): PDO
{
    $where = sprintf('pgsql:host=%s;port=%s;dbname=%s;sslmode=disable%s', getenv('PGHOST'), getenv('PGPORT'), getenv('PGDATABASE'), $settings);
    return new PDO($where, getenv('PGUSER'), getenv('PGPASSWORD'), $options + [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
}

const WAYS = [
    'prepared' => [],
    'emulated' => [PDO::ATTR_EMULATE_PREPARES => true],
    'not prepared' => [PDO::PGSQL_ATTR_DISABLE_PREPARES => true],
];

function all(PDO $db, string $text, array $given = []): array
{
    $statement = $db->prepare($text);
    $statement->execute($given);
    return $statement->fetchAll(PDO::FETCH_NUM);
}

function queries(string $way, array $options): void
{
    step("query, $way", fn () => open($options)->query('SELECT id, name, price, made, tags, state FROM item ORDER BY id LIMIT 12')->fetchAll(PDO::FETCH_ASSOC));
    step("every type, $way", fn () => all(open($options), 'SELECT * FROM every_type'));
    step("again and again, $way", function () use ($options) {
        $statement = open($options)->prepare('SELECT * FROM item WHERE id = ?');
        $answers = [];
        foreach ([1, 2, 3, 10] as $id) {
            $statement->execute([$id]);
            $answers[] = $statement->fetchAll(PDO::FETCH_ASSOC);
        }
        return $answers;
    });
    step("parameters, $way", function () use ($options) {
        $statement = open($options)->prepare('SELECT :a::int4, :b::text, :c::bool, :d::bytea, :e::float8, :f::jsonb, :g::text, :h::mood');
        $statement->bindValue('a', 7, PDO::PARAM_INT);
        $statement->bindValue('b', "it's \\ ünïcode 🙂");
        $statement->bindValue('c', true, PDO::PARAM_BOOL);
        $statement->bindValue('d', "\x00\x01\xff", PDO::PARAM_LOB);
        $statement->bindValue('e', '1.5e-7');
        $statement->bindValue('f', '{"a": [1, null]}');
        $statement->bindValue('g', null, PDO::PARAM_NULL);
        $statement->bindValue('h', 'happy');
        $statement->execute();
        return $statement->fetchAll(PDO::FETCH_NUM);
    });
    step("columns, $way", function () use ($options) {
        $statement = open($options)->prepare('SELECT i.*, c.email, 1 AS one FROM item i, shop.customer c WHERE i.id = 1 AND c.id = 1');
        $statement->execute();
        $found = [];
        for ($n = 0; $n < $statement->columnCount(); $n++) {
            $found[] = $statement->getColumnMeta($n);
        }
        return $found;
    });
    foreach (statements('error') as [$name, $text]) {
        step("error: $name, $way", fn () => all(open($options), $text));
    }
    foreach (statements('write') as [$name, $text]) {
        write("$name, $way", fn () => all(open($options), $text));
    }
}

function cursors(): void
{
    step('scrollable cursor', function () {
        $db = open();
        $db->beginTransaction();
        $statement = $db->prepare('SELECT id FROM item ORDER BY id', [PDO::ATTR_CURSOR => PDO::CURSOR_SCROLL]);
        $statement->execute();
        $seen = [];
        foreach ([[PDO::FETCH_ORI_NEXT, 0], [PDO::FETCH_ORI_ABS, 500], [PDO::FETCH_ORI_LAST, 0], [PDO::FETCH_ORI_PRIOR, 0], [PDO::FETCH_ORI_FIRST, 0], [PDO::FETCH_ORI_REL, 7]] as [$to, $by]) {
            $seen[] = $statement->fetch(PDO::FETCH_NUM, $to, $by);
        }
        $statement->closeCursor();
        $db->commit();
        return $seen;
    });
    step('scrollable cursor outside of a transaction', function () {
        $statement = open()->prepare('SELECT id FROM item ORDER BY id', [PDO::ATTR_CURSOR => PDO::CURSOR_SCROLL]);
        $statement->execute();
        return [$statement->fetch(PDO::FETCH_NUM), $statement->fetch(PDO::FETCH_NUM)];
    });
    step('cursor in SQL', function () {
        $db = open();
        $db->beginTransaction();
        $db->exec('DECLARE mine CURSOR FOR SELECT id FROM item ORDER BY id');
        $counts = [];
        do {
            $counts[] = $got = count($db->query('FETCH 300 FROM mine')->fetchAll());
        } while ($got > 0);
        $db->exec('CLOSE mine');
        $db->commit();
        return $counts;
    });
    step('fifty thousand rows', function () {
        $sum = 0;
        foreach (open()->query('SELECT id, note FROM shop.reading') as $row) {
            $sum += $row['id'] + strlen($row['note']);
        }
        return $sum;
    });
    step('several statements', fn () => open()->exec("SET TIME ZONE 'UTC'; SELECT id FROM item WHERE id < 3; RESET TIME ZONE"));
    step('copy to an array', fn () => open()->pgsqlCopyToArray('part', "\t", '\\N', 'item_id, line'));
    step('copy of a whole table', fn () => hash('sha256', implode('', open()->pgsqlCopyToArray('item'))));
    step('copy to a file', function () {
        $file = tempnam(sys_get_temp_dir(), 'copy');
        open()->pgsqlCopyToFile('item', $file);
        $hash = hash_file('sha256', $file);
        unlink($file);
        return $hash;
    });
    write('copy in', fn () => open()->pgsqlCopyFromArray('part', ["1\t77\t1\n"]));
    write('create of a large object', function () {
        $db = open();
        $db->beginTransaction();
        return $db->pgsqlLOBCreate();
    });
    step('listen', function () {
        $db = open();
        $db->exec('LISTEN left_behind');
        return $db->pgsqlGetNotify(PDO::FETCH_ASSOC, 10);
    });
}

function transactions(): void
{
    foreach (statements('begin') as [$name, $text]) {
        step("transaction: $name", function () use ($text) {
            $db = open();
            $db->exec($text);
            $level = $db->query('SHOW transaction_isolation')->fetchColumn();
            $db->exec('SAVEPOINT one');
            $failed = fails(fn () => $db->query('SELECT 1 / (id - id) FROM item'));
            $db->exec('ROLLBACK TO SAVEPOINT one');
            return [$level, $failed, $db->inTransaction(), all($db, 'SELECT count(*) FROM item WHERE id > ?', [5]), $db->exec('COMMIT')];
        });
    }
    step('a transaction that fails', function () {
        $db = open();
        $db->beginTransaction();
        $failed = [fails(fn () => $db->query('SELECT no_such_column FROM item')), fails(fn () => $db->query('SELECT 1'))];
        $db->rollBack();
        return [$failed, all($db, "SELECT 'usable'")];
    });
    write('insert in a transaction', function () {
        $db = open();
        $db->beginTransaction();
        all($db, 'INSERT INTO part VALUES (?, ?)', [1, 99]);
        return $db->commit();
    });
    write('last id', function () {
        $db = open();
        $db->exec('INSERT INTO "Mixed Case" DEFAULT VALUES');
        return $db->lastInsertId('Mixed Case_Key_seq');
    });
}

function sessions(): void
{
    step('attributes', function () {
        $db = open();
        return [$db->getAttribute(PDO::ATTR_SERVER_VERSION), $db->getAttribute(PDO::ATTR_CLIENT_VERSION), $db->getAttribute(PDO::ATTR_CONNECTION_STATUS), $db->quote("it's \\")];
    });
    step('settings at connect', fn () => array_map(fn ($name) => open([], ";application_name=matrix;options='-c search_path=shop,public -c statement_timeout=4s'")
        ->query("SHOW $name")->fetchColumn(), ['application_name', 'search_path', 'statement_timeout']));
    step('settings', function () {
        $db = open();
        $db->exec("SET NAMES 'UTF8'");
        $db->exec("set time zone 'Europe/Berlin'");
        $db->exec('set search_path to "shop", "public"');
        return all($db, "SELECT current_schema(), current_setting('timezone'), count(*) FROM customer");
    });
    step('persistent', fn () => array_map(fn () => all(open([PDO::ATTR_PERSISTENT => true]), 'SELECT count(*) FROM item'), range(1, 3)));
    step('error: statement timeout', function () {
        $db = open();
        $db->exec('SET statement_timeout = 300');
        return all($db, 'SELECT count(*) FROM generate_series(1, 100000000)');
    });
}

say(['client' => 'PHP PDO', 'version' => phpversion()]);
foreach (WAYS as $way => $options) {
    queries($way, $options);
}
cursors();
transactions();
sessions();
