# Ruby's pg and ActiveRecord, as Debian has them.
debian ruby ruby-pg ruby-activerecord
