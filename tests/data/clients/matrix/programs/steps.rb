# Steps of a client program: each prints one line of JSON, and none stops the ones behind it.

require 'json'
require 'timeout'

module Steps
  DIRECT = ENV['MATRIX_WAY'] == 'direct'
  STEP_SECONDS_MAX = 25

  module_function

  def client(name, version)
    say(client: name, version: version)
  end

  def step(name, &run)
    told(name, {}, &run)
  end

  # A write must fail; directly it is not tried.
  def write(name, &run)
    told(name, { write: true }, &run) unless DIRECT
  end

  def told(name, line, &run)
    say({ step: name }.merge(line).merge(value: plain(Timeout.timeout(STEP_SECONDS_MAX, &run))))
  rescue StandardError => error
    say({ step: name }.merge(line).merge(failure(error)))
  end

  # What a block that must fail failed with.
  def fails
    yield
  rescue StandardError => error
    failure(error)
  else
    raise 'this should have failed'
  end

  def failure(error)
    error = error.cause if error.cause.respond_to?(:result)
    code = error.result&.error_field(PG::Result::PG_DIAG_SQLSTATE) if error.respond_to?(:result)
    message = error.message.lines.first.to_s.strip.sub(/port \d+/, 'port')
    { error: code || error.class.name, message: message }
  end

  def plain(value)
    case value
    when Hash then value.to_h { |key, each| [key.to_s, plain(each)] }
    when Array then value.map { |each| plain(each) }
    when nil, true, false, Integer then value
    when Float then value.finite? ? value : value.to_s
    when Time then value.utc.strftime('%FT%T.%6NZ')
    when String then value.encoding == Encoding::BINARY ? value.unpack1('H*') : value
    else value.to_s
    end
  end

  def say(line)
    puts JSON.generate(line)
    $stdout.flush
  end

  # The statements that every client asks; see statements.tsv.
  def statements(kind)
    File.readlines(File.join(__dir__, 'statements.tsv'), chomp: true).map { |line| line.split("\t") }
        .select { |line| line[0] == kind }.map { |line| line[1, 2] }
  end
end
