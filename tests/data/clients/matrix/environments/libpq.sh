# A program of libpq's own interface, compiled against the libpq that is here.
debian gcc libc6-dev libpq-dev
cc -O1 -Wall -Wextra -Werror -I"$(pg_config --includedir)" -o libpq "$ROOT/tests/data/clients/matrix/programs/libpq.c" \
  -L"$(pg_config --libdir)" -lpq
