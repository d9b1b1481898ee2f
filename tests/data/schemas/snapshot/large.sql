-- 2,000 tables with 40,000 columns, keys between them, rights on them, and some views and functions.
-- A blank line ends a statement: DO commits on its way, so each needs a message of its own.
CREATE SCHEMA large;

DO $$
BEGIN
    FOR n IN 1..2000 LOOP
        EXECUTE format(
            'CREATE TABLE large.orders_%s (
                id bigint PRIMARY KEY,
                parent_id bigint %s,
                customer_name text NOT NULL,
                email_address text,
                amount_total numeric(12, 2) NOT NULL,
                amount_tax numeric(12, 2),
                currency_code char(3),
                status varchar(20),
                created_at timestamptz NOT NULL,
                updated_at timestamptz,
                shipped_on date,
                attributes jsonb,
                tags text[],
                quantity integer,
                weight double precision,
                is_paid boolean NOT NULL,
                external_id uuid UNIQUE,
                comment_text text,
                region_code smallint,
                warehouse_id integer)',
            n,
            CASE WHEN n > 1 THEN format('REFERENCES large.orders_%s', n - 1) END);
        IF n % 10 = 0 THEN
            EXECUTE format(
                'CREATE VIEW large.recent_%s AS
                    SELECT o.id, o.customer_name, sum(p.amount_total) AS total
                    FROM large.orders_%s o LEFT JOIN large.orders_%s p ON p.parent_id = o.id
                    WHERE o.created_at > now() - interval ''7 days'' GROUP BY o.id, o.customer_name',
                n, n, n - 1);
            EXECUTE format(
                'CREATE FUNCTION large.doubled_%s(amount numeric, times integer DEFAULT 2)
                    RETURNS numeric LANGUAGE sql IMMUTABLE AS ''SELECT $1 * $2''', n);
        END IF;
        IF n % 100 = 0 THEN
            COMMIT;
        END IF;
    END LOOP;
END $$;

GRANT USAGE ON SCHEMA large TO PUBLIC;

DO $$
BEGIN
    FOR n IN 1..2000 LOOP
        EXECUTE format('GRANT SELECT ON large.orders_%s TO PUBLIC', n);
        IF n % 500 = 0 THEN
            COMMIT;
        END IF;
    END LOOP;
END $$;
