# PHP with PDO's driver and its pgsql extension, as Debian has them.
debian php-cli php-pgsql
