# DBD::Pg: prepared on the server and not, binary, its catalog methods in full, copy, asynchronous.

use strict;
use warnings;
use utf8;
use DBI qw(:sql_types);
use DBD::Pg qw(:pg_types :async);
use Digest::SHA qw(sha256_hex);
use FindBin;
use JSON::PP;

binmode STDOUT, ':raw';
$| = 1;
my $DIRECT = $ENV{MATRIX_WAY} eq 'direct';
my $JSON = JSON::PP->new->utf8->canonical->allow_nonref->allow_blessed->convert_blessed;
my $STEP_SECONDS_MAX = 25;

sub say_line { print $JSON->encode(plain($_[0])), "\n" }

# JSON has no number for these.
sub plain {
    my ($value) = @_;
    return { map { $_ => plain($value->{$_}) } keys %$value } if ref $value eq 'HASH';
    return [map { plain($_) } @$value] if ref $value eq 'ARRAY';
    return "$value" if defined $value && !ref $value && $value =~ /^-?(nan|inf)/i;
    return $value;
}

sub open_database {
    my (%given) = @_;
    my $settings = delete $given{settings} // '';
    return DBI->connect(
        "dbi:Pg:host=$ENV{PGHOST};port=$ENV{PGPORT};dbname=$ENV{PGDATABASE};sslmode=disable$settings",
        $ENV{PGUSER}, $ENV{PGPASSWORD},
        { AutoInactiveDestroy => 1, RaiseError => 1, PrintError => 0, PrintWarn => 0, AutoCommit => 1, pg_enable_utf8 => 1, %given });
}

sub failure {
    my ($error) = @_;
    my $state = $DBI::state // '';
    my ($first) = split /\n/, $error;
    $first =~ s/^DBD::Pg::\w+ \w+ failed: //;
    $first =~ s/ at \S+ line \d+\.?$//;
    $first =~ s/port \d+/port/;
    return { error => $state, message => $first };
}

sub told {
    my ($name, $line, $run, %given) = @_;
    my $value = eval {
        local $SIG{ALRM} = sub { die "the step took too long\n" };
        alarm $STEP_SECONDS_MAX;
        my $database = open_database(%given);
        my $answer = $run->($database);
        alarm 0;
        $database->disconnect;
        $answer;
    };
    my $error = $@;
    alarm 0;
    my $outcome = $error ? failure($error) : { value => $value };
    say_line({ step => $name, %$line, %$outcome });
}

sub step { my ($name, $run, %given) = @_; told($name, {}, $run, %given) }

# A write must fail; directly it is not tried.
sub write_step { my ($name, $run, %given) = @_; told($name, { write => JSON::PP::true }, $run, %given) unless $DIRECT }

sub fails {
    my ($run) = @_;
    eval { $run->(); 1 } or return failure($@);
    die "this should have failed\n";
}

# The statements that every client asks; see statements.tsv.
sub statements {
    my ($kind) = @_;
    open my $file, '<:utf8', "$FindBin::Bin/statements.tsv" or die;
    my @found = grep { $_->[0] eq $kind } map { chomp; [split /\t/] } <$file>;
    return map { [@{$_}[1, 2]] } @found;
}

sub rows { my ($handle) = @_; return $handle ? $handle->fetchall_arrayref : undef }

sub queries {
    for my $way ([prepared => 1, 0], ['not prepared', 0, 0], ['prepared at once', 1, 1]) {
        my ($name, $server, $now) = @$way;
        my %given = (pg_server_prepare => $server);
        step("rows, $name", sub { $_[0]->selectall_arrayref('SELECT id, name, price, made, tags, state FROM item ORDER BY id LIMIT 12') }, %given);
        step("every type, $name", sub { $_[0]->selectall_arrayref('SELECT * FROM every_type') }, %given);
        step("placeholders, $name", sub {
            my $handle = $_[0]->prepare('SELECT id, name FROM item WHERE id > ? AND state = ? ORDER BY id LIMIT 4', { pg_prepare_now => $now });
            my @answers;
            for my $id (1 .. 4) { $handle->execute($id, 'happy'); push @answers, rows($handle) }
            return \@answers;
        }, %given);
        step("parameters, $name", sub {
            my $handle = $_[0]->prepare('SELECT $1::int4, $2::int8, $3::text, $4::bool, $5::float8, $6::numeric, $7::bytea, $8::int4[], $9::text[], $10::jsonb, $11::uuid, $12::text, $13::mood');
            $handle->bind_param(7, "\x00\x01\xff", { pg_type => PG_BYTEA });
            $handle->bind_param($_->[0], $_->[1]) for [1, 7], [2, '9007199254740993'], [3, "it's \\ ünïcode"], [4, 't'], [5, 1.5e-7], [6, '1234.5600'],
                [8, [1, undef, 3]], [9, ['a', 'b,"c"']], [10, '{"a": [1, null]}'], [11, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'], [12, undef], [13, 'happy'];
            $handle->execute;
            return [map { ref $_ ? $_ : defined $_ && /[^\x20-\x7e]/ && !utf8::is_utf8($_) ? unpack('H*', $_) : $_ } @{ $handle->fetchrow_arrayref }];
        }, %given);
        step("named parameters, $name", sub {
            my $handle = $_[0]->prepare('SELECT :a::int + :b::int, :a::text');
            $handle->bind_param(':a', 1); $handle->bind_param(':b', 2);
            $handle->execute;
            return rows($handle);
        }, %given);
    }
    step('columns', sub {
        my $handle = $_[0]->prepare('SELECT * FROM every_type'); $handle->execute;
        return [map { $handle->{$_} } qw(NAME TYPE PRECISION SCALE NULLABLE NUM_OF_FIELDS pg_type)];
    });
    step('described before it runs', sub { my $handle = $_[0]->prepare('SELECT id, name FROM item WHERE id = ?', { pg_prepare_now => 1 }); return [$handle->{NUM_OF_PARAMS}, $handle->{pg_prepare_name} ne ''] });
    step('several statements', sub { my $count = $_[0]->do("SET TIME ZONE 'UTC'; SELECT id FROM item WHERE id < 3; RESET TIME ZONE"); return $_[0]->selectall_arrayref('SHOW timezone') });
    step('fifty thousand rows', sub {
        my $handle = $_[0]->prepare('SELECT id, note FROM shop.reading WHERE id > ?'); $handle->execute(0);
        my $sum = 0; while (my $row = $handle->fetchrow_arrayref) { $sum += $row->[0] + length $row->[1] }
        return $sum;
    });
    step('cursor', sub {
        my ($database) = @_;
        $database->begin_work;
        $database->do('DECLARE mine CURSOR FOR SELECT id FROM item ORDER BY id');
        my @counts;
        while (my $got = @{ $database->selectall_arrayref('FETCH 300 FROM mine') }) { push @counts, $got }
        $database->do('CLOSE mine'); $database->commit;
        return \@counts;
    });
    step('hashes', sub { $_[0]->selectall_hashref('SELECT id, name, tags FROM item WHERE id < 5', 'id') });
    for my $text ('COPY (SELECT id, name, tags FROM item ORDER BY id) TO STDOUT', 'COPY part (item_id, line) TO STDOUT', 'COPY item TO STDOUT (FORMAT csv, HEADER)') {
        step($text, sub {
            my ($database) = @_;
            $database->do($text);
            my ($all, $line) = ('', '');
            while ($database->pg_getcopydata($line) >= 0) { utf8::encode($line) if utf8::is_utf8($line); $all .= $line }
            return [length $all, sha256_hex($all), $database->selectall_arrayref("SELECT 'usable'")];
        });
    }
}

my @TABLES = ([qw(public item)], [qw(public part)], [qw(public every_type)], [qw(shop customer)], [qw(shop purchase_line)], [qw(shop event)], ['Mixed Schema', 'Mixed Table']);

sub catalog {
    step('tables', sub { [sort $_[0]->tables(undef, undef, '%', 'TABLE,VIEW')] });
    step('table info', sub { rows($_[0]->table_info(undef, '%', '%', undef)) });
    step("table info of $_->[0]", sub { rows($_[0]->table_info($_->[1], $_->[2], $_->[3], $_->[4])) })
        for ['a schema', undef, 'shop', '%', 'TABLE'], ['views', undef, undef, '%', 'VIEW,MATERIALIZED VIEW'], ['catalogs', '%', '', '', ''], ['schemas', '', '%', '', ''], ['types', '', '', '', '%'];
    step('type info', sub { $_[0]->type_info_all });
    step('type info of one', sub { [map { $_->{TYPE_NAME} } $_[0]->type_info(SQL_INTEGER)] });
    for my $table (@TABLES) {
        my ($schema, $name) = @$table;
        step("column info of $name", sub { rows($_[0]->column_info(undef, $schema, $name, '%')) });
        step("primary key of $name", sub { [rows($_[0]->primary_key_info(undef, $schema, $name)), [$_[0]->primary_key(undef, $schema, $name)]] });
        step("foreign keys of $name", sub { [rows($_[0]->foreign_key_info(undef, undef, undef, undef, $schema, $name)), rows($_[0]->foreign_key_info(undef, $schema, $name, undef, undef, undef))] });
        step("statistics of $name", sub { rows($_[0]->statistics_info(undef, $schema, $name, 0, 0)) }) if $name ne 'every_type';
    }
    step('columns of all', sub { rows($_[0]->column_info(undef, 'shop', '%', '%')) });
    step('what the server says of itself', sub { my $d = $_[0]; [$d->get_info(17), $d->get_info(18) ne '', $d->get_info(29), @{$d}{qw(pg_server_version pg_lib_version Username pg_standard_conforming_strings)}, $d->quote("it's \\"), $d->quote_identifier('Mixed Schema', 'a"b')] });
    step('ping and state', sub { my $d = $_[0]; [$d->ping, $d->pg_ping, $d->state] });
}

sub transactions {
    for my $begin (statements('begin')) {
        my ($name, $text) = @$begin;
        step("transaction: $name", sub {
            my ($d) = @_;
            $d->do($text);
            my $level = $d->selectrow_array('SHOW transaction_isolation');
            $d->do('SAVEPOINT one');
            my $failed = fails(sub { $d->selectall_arrayref('SELECT 1 / (id - id) FROM item') });
            $d->do('ROLLBACK TO SAVEPOINT one');
            my $count = $d->selectrow_array('SELECT count(*) FROM item');
            $d->do('COMMIT');
            return [$level, $failed, $count];
        });
    }
    step('without autocommit', sub {
        my ($d) = @_;
        my $first = $d->selectrow_array('SELECT count(*) FROM item');
        $d->pg_savepoint('one');
        my $failed = fails(sub { $d->do('SELECT no_such_column FROM item') });
        $d->pg_rollback_to('one'); $d->pg_release('one');
        my $again = $d->selectrow_array('SELECT count(*) FROM part');
        $d->commit;
        return [$first, $failed, $again];
    }, AutoCommit => 0);
    step('read only', sub { my ($d) = @_; $d->{ReadOnly} = 1; my $count = $d->selectrow_array('SELECT count(*) FROM item'); $d->commit; return $count }, AutoCommit => 0);
}

sub errors {
    for my $each (statements('error')) {
        my ($name, $text) = @$each;
        step("error: $name", sub { $_[0]->do($text) });
        step("error: $name, prepared", sub { my $handle = $_[0]->prepare($text, { pg_prepare_now => 1 }); $handle->execute; rows($handle) });
    }
    for my $each (statements('write')) {
        my ($name, $text) = @$each;
        write_step($name, sub { $_[0]->do($text) });
        write_step("$name, prepared", sub { my $handle = $_[0]->prepare($text, { pg_prepare_now => 1 }); $handle->execute });
        write_step("$name, without autocommit", sub { $_[0]->do($text); $_[0]->commit }, AutoCommit => 0);
    }
    write_step('insert of values', sub { $_[0]->do('INSERT INTO part VALUES (?, ?)', undef, 1, 99) });
    write_step('copy in', sub { $_[0]->do('COPY part FROM STDIN'); $_[0]->pg_putcopydata("1\t77\t1\n"); $_[0]->pg_putcopyend });
    write_step('create of a large object', sub { $_[0]->begin_work; $_[0]->pg_lo_creat(0x40000) // die $_[0]->errstr });
    write_step('last id', sub { $_[0]->do("INSERT INTO \"Mixed Case\" VALUES (DEFAULT)"); $_[0]->last_insert_id(undef, 'public', 'Mixed Case', undef) });
    step('listen', sub { $_[0]->do('LISTEN left_behind'); $_[0]->pg_notifies ? 'told' : 'nothing told' });
}

sub sessions {
    step('settings at connect', sub { my ($d) = @_; [map { $d->selectrow_array("SHOW $_") } qw(application_name search_path statement_timeout)] },
        settings => ";application_name=matrix;options='-c search_path=shop,public -c statement_timeout=4s'");
    step('settings', sub { my ($d) = @_; $d->do($_) for 'SET search_path TO shop', "SET TIME ZONE 'UTC'", 'SET client_min_messages = warning'; my $s = $d->selectrow_array('SELECT current_schema()'); $d->do($_) for 'RESET ALL', 'DISCARD ALL'; [$s, $d->selectrow_array('SHOW search_path')] });
    step('warnings', sub { my ($d) = @_; my @told; local $SIG{__WARN__} = sub { push @told, $_[0] =~ /^(.*)/ }; $d->{PrintWarn} = 1; $d->do("SELECT 'warning' ~~~> 'words'"); \@told });
    step('asynchronous', sub { my ($d) = @_; $d->do('SELECT pg_catalog.count(*) FROM item', { pg_async => PG_ASYNC }); [$d->pg_result] });
    step('cancel', sub { my ($d) = @_; $d->do('SELECT count(*) FROM generate_series(1, 1000000000)', { pg_async => PG_ASYNC }); sleep 1; my $told = $d->pg_cancel; [$told, $d->selectrow_array("SELECT 'usable'")] });
    step('error: statement timeout', sub { $_[0]->do('SET statement_timeout = 300'); $_[0]->do('SELECT count(*) FROM generate_series(1, 100000000)') });
    step('a child of it', sub { my ($d) = @_; my $other = $d->clone; my $count = $other->selectrow_array('SELECT count(*) FROM item'); $other->disconnect; $count });
    step('error: its fields', sub { my ($d) = @_; eval { $d->do("SELECT 'P0042' !!!> 'told'") }; [map { $d->pg_error_field($_) } qw(severity state message_primary message_detail message_hint schema_name table_name column_name datatype_name constraint_name)] });
}

# What a failed step leaves open is no news.
$SIG{__WARN__} = sub { print STDERR $_[0] unless $_[0] =~ /without explicit disconnect/ };
say_line({ client => 'DBD::Pg', version => "$DBD::Pg::VERSION" });
queries();
catalog();
transactions();
errors();
sessions();
