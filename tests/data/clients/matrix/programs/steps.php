<?php
// Steps of a client program: each prints one line of JSON, and none stops the ones behind it.

const JSON = JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION;

function say(array $line): void
{
    fwrite(STDOUT, json_encode($line, JSON) . "\n");
}

function failure(Throwable $error): array
{
    $code = $error instanceof PDOException ? ($error->errorInfo[0] ?? $error->getCode()) : get_class($error);
    $message = explode("\n", $error->getMessage())[0];
    // Those of the other extension begin with Postgres's code.
    if (preg_match('/^([0-9A-Z]{5}): (.*)$/', $message, $found)) {
        [, $code, $message] = $found;
    }
    return ['error' => (string) $code, 'message' => preg_replace('/port \d+/', 'port', $message)];
}

// Values as JSON that is the same for the same values: streams are read, numbers that JSON lacks are text.
function plain(mixed $value): mixed
{
    if (is_resource($value)) {
        return ['hex' => bin2hex(stream_get_contents($value))];
    }
    if (is_float($value) && !is_finite($value)) {
        return (string) $value;
    }
    return is_array($value) ? array_map('plain', $value) : (is_object($value) ? plain((array) $value) : $value);
}

function told(string $name, array $line, callable $run): void
{
    try {
        $outcome = ['value' => plain($run())];
    } catch (Throwable $error) {
        $outcome = failure($error);
    }
    say(['step' => $name] + $line + $outcome);
}

function step(string $name, callable $run): void
{
    told($name, [], $run);
}

/** A write must fail; directly it is not tried. */
function write(string $name, callable $run): void
{
    if (getenv('MATRIX_WAY') !== 'direct') {
        told($name, ['write' => true], $run);
    }
}

function fails(callable $run): array
{
    try {
        $run();
    } catch (Throwable $error) {
        return failure($error);
    }
    throw new LogicException('this should have failed');
}

/** The statements that every client asks; see statements.tsv. */
function statements(string $kind): array
{
    $lines = array_map(fn ($line) => explode("\t", $line), file(__DIR__ . '/statements.tsv', FILE_IGNORE_NEW_LINES));
    return array_map(fn ($line) => [$line[1], $line[2]], array_values(array_filter($lines, fn ($line) => $line[0] === $kind)));
}
