-- The rows of the shop. Everything is computed from row numbers, so that every load is the same.

-- A number below k that looks random. Temporary: gone when the loading session ends.
CREATE FUNCTION pg_temp.pick(n bigint, salt bigint, k bigint) RETURNS integer
LANGUAGE sql IMMUTABLE
AS 'SELECT (((n + salt * 7919) * 2654435761 % 4294967296 >> 11) % k)::integer';

INSERT INTO customers
SELECT n,
       (ARRAY['Ada','Ben','Chen','Dana','Emil','Fatima','Goran','Hana','Ines','Jonas','Kofi','Lena',
              'Mina','Noor','Otto','Priya'])[1 + pg_temp.pick(n, 1, 16)] || ' ' ||
       (ARRAY['Abel','Brandt','Costa','Dubois','Eriksen','Fischer','Garcia','Haddad','Ito','Jansen',
              'Kaya','Lopez','Moreau'])[1 + pg_temp.pick(n, 2, 13)],
       'customer' || n || '@example.com',
       CASE WHEN n % 5 = 0 THEN 'Company ' || n / 5 END,
       n % 3 = 0,
       CASE n % 4 WHEN 0 THEN ARRAY['vip', 'b2b'] WHEN 1 THEN ARRAY['new'] ELSE '{}' END,
       jsonb_build_object('language', (ARRAY['en','de','de','fr','es'])[1 + pg_temp.pick(n, 3, 5)],
                          'currency', CASE WHEN n % 7 = 0 THEN 'USD' ELSE 'EUR' END),
       timestamptz '2022-01-01 08:00+00' + n * interval '7 hours 13 minutes'
  FROM generate_series(1, 3000) n;

INSERT INTO addresses
SELECT n, 1 + (n - 1) % 3000,
       CASE WHEN n <= 3000 THEN 'delivery' ELSE 'billing' END,
       (ARRAY['Mill Lane','High Street','Station Road','Rue du Lac','Lindenweg'])[1 + n % 5] || ' ' || 1 + n % 97,
       lpad((n * 37 % 100000)::text, 5, '0'),
       (ARRAY['Berlin','Paris','Madrid','Lisbon','Vienna','Oslo','Ghent','Turin'])[1 + n % 8],
       (ARRAY['DE','FR','ES','PT','AT','NO','BE','IT'])[1 + n % 8]
  FROM generate_series(1, 4200) n;

INSERT INTO employees
SELECT n, 'Employee ' || n,
       CASE WHEN n > 1 THEN (n + 2) / 4 END,
       CASE WHEN n = 1 THEN 'director' WHEN n <= 11 THEN 'lead' ELSE 'sales' END,
       CASE WHEN n = 1 THEN 120000 WHEN n <= 11 THEN 72000 ELSE 38000 END + n * 111,
       date '2015-03-01' + n * 61
  FROM generate_series(1, 40) n;

INSERT INTO suppliers
SELECT n, 'Supplier ' || chr(64 + 1 + n % 26) || n,
       (ARRAY['DE','CN','IT','PL','TR'])[1 + n % 5], (2 + n % 19) * interval '1 day'
  FROM generate_series(1, 60) n;

INSERT INTO categories VALUES
  (1, NULL, 'Home'), (2, NULL, 'Outdoor'), (3, NULL, 'Office'), (4, NULL, 'Clothing'),
  (5, 1, 'Kitchen'), (6, 1, 'Lighting'), (7, 1, 'Bedding'), (8, 2, 'Camping'), (9, 2, 'Cycling'),
  (10, 2, 'Garden'), (11, 3, 'Paper'), (12, 3, 'Desks'), (13, 3, 'Chairs'), (14, 4, 'Shirts'),
  (15, 4, 'Shoes'), (16, 4, 'Coats'), (17, 5, 'Knives'), (18, 5, 'Pans'), (19, 8, 'Tents'),
  (20, 8, 'Stoves'), (21, 9, 'Helmets'), (22, 9, 'Locks'), (23, 10, 'Tools'), (24, 10, 'Seeds');

INSERT INTO products
SELECT n, 'SKU-' || lpad(n::text, 5, '0'),
       (ARRAY['Oak','Steel','Cotton','Copper','Wool','Linen','Birch','Felt'])[1 + n % 8] || ' ' ||
       (ARRAY['Lamp','Pan','Tent','Chair','Shirt','Lock','Desk','Knife','Coat','Pot'])[1 + n / 8 % 10] || ' ' || n,
       5 + n % 20, 1 + n % 60,
       round((4.5 + pg_temp.pick(n, 4, 24000) / 100.0)::numeric, 2),
       jsonb_build_object('colour', (ARRAY['red','black','green','natural'])[1 + n % 4],
                          'grams', 100 + n * 31 % 9000, 'materials', jsonb_build_array('main', n % 8)),
       CASE WHEN n % 20 IN (9, 10, 11) THEN ARRAY['S', 'M', 'L'] ELSE '{}' END,
       n % 37 = 0
  FROM generate_series(1, 600) n;

INSERT INTO inventory
SELECT p, w, pg_temp.pick(p, length(w), 240), pg_temp.pick(p, 5, 9), timestamptz '2024-12-30 06:00+00' - p * interval '11 minutes'
  FROM generate_series(1, 600) p, unnest(ARRAY['north', 'south']) w;

INSERT INTO orders
SELECT n, 1 + pg_temp.pick(n, 6, 3000),
       CASE WHEN pg_temp.pick(n, 7, 3) = 0 THEN 12 + pg_temp.pick(n, 8, 29) END,
       (ARRAY['delivered','delivered','delivered','shipped','delivered','paid','delivered','placed',
              'returned','basket'])[1 + pg_temp.pick(n, 9, 10)]::order_status,
       timestamptz '2023-01-01 09:00+00' + n * interval '87 minutes',
       CASE WHEN pg_temp.pick(n, 9, 10) <> 9 THEN nextval('invoice_number') END
  FROM generate_series(1, 12000) n;

INSERT INTO "Order Items"
SELECT o, l, p.id, 1 + pg_temp.pick(o * 4 + l, 10, 4), p.price,
       CASE WHEN pg_temp.pick(o * 4 + l, 11, 11) = 0 THEN 12.5 ELSE 0 END
  FROM generate_series(1, 12000) o
 CROSS JOIN generate_series(1, 4) l
  JOIN products p ON p.id = 1 + pg_temp.pick(o * 4 + l, 12, 600)
 WHERE l <= 1 + pg_temp.pick(o, 13, 4);

INSERT INTO "orderEvents"
SELECT row_number() OVER (ORDER BY o.id, s.n), o.id, o.placed_at + s.n * interval '9 hours', s.kind,
       jsonb_build_object('by', CASE WHEN o.id % 2 = 0 THEN 'web' ELSE 'phone' END, 'step', s.n)
  FROM orders o
  JOIN (VALUES (1, 'placed'::order_status), (2, 'paid'), (3, 'shipped')) s(n, kind) ON s.kind <= o.status
 WHERE pg_temp.pick(o.id, 20, 2) = 0;

INSERT INTO payments
SELECT row_number() OVER (ORDER BY order_id), order_id,
       (ARRAY['card','transfer','invoice','wallet'])[1 + pg_temp.pick(order_id, 14, 4)], total,
       placed_at + interval '3 hours'
  FROM order_totals WHERE status >= 'paid';

INSERT INTO shipments
SELECT row_number() OVER (ORDER BY o.id), o.id, a.id,
       (ARRAY['DHL','UPS','Post'])[1 + pg_temp.pick(o.id, 15, 3)], md5('shipment ' || o.id)::uuid,
       o.placed_at + interval '1 day',
       CASE WHEN o.status <> 'shipped' THEN o.placed_at + (2 + pg_temp.pick(o.id, 16, 5)) * interval '1 day' END
  FROM orders o JOIN addresses a ON a.customer_id = o.customer_id AND a.kind = 'delivery'
 WHERE o.status >= 'shipped';

INSERT INTO reviews
SELECT n, 1 + pg_temp.pick(n, 17, 600), 1 + pg_temp.pick(n, 18, 3000),
       greatest(1, 5 - pg_temp.pick(n, 19, 9) / 2),
       CASE WHEN n % 3 = 0 THEN (ARRAY['Does what it should.','Not as pictured.','Would buy again.',
            'Arrived late, but well packed.'])[1 + n / 3 % 4] END,
       timestamptz '2023-06-01 12:00+00' + n * interval '3 hours'
  FROM generate_series(1, 4000) n;

CREATE INDEX ON addresses (customer_id);
CREATE INDEX ON products (category_id);
CREATE INDEX ON products USING gin (attributes);
CREATE INDEX ON orders (customer_id);
CREATE INDEX ON orders (placed_at);
CREATE INDEX ON "Order Items" ("productId");
CREATE INDEX ON "orderEvents" ("orderId");
CREATE INDEX ON payments (order_id);
CREATE INDEX ON shipments (order_id);
CREATE INDEX ON reviews (product_id);
CREATE INDEX ON customers (lower(email));

RESET ROLE;
ANALYZE;
