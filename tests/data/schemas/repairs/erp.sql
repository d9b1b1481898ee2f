-- Two hundred tables and more: twenty that statements speak about, and the rest that stands beside
-- them under names like theirs.
CREATE SCHEMA erp;
CREATE SCHEMA erp_archive;
SET search_path TO erp;

CREATE TABLE countries (country_code char(2) PRIMARY KEY, country_name text NOT NULL, region text NOT NULL);
CREATE TABLE offices (office_id integer PRIMARY KEY, city text NOT NULL, country_code char(2) NOT NULL REFERENCES countries, opened_on date NOT NULL);
CREATE TABLE departments (dept_id integer PRIMARY KEY, dept_name text NOT NULL UNIQUE, office_id integer NOT NULL REFERENCES offices, annual_budget numeric(14, 2) NOT NULL);
CREATE TABLE staff (staff_id integer PRIMARY KEY, first_name text NOT NULL, last_name text NOT NULL, dept_id integer NOT NULL REFERENCES departments,
  manager_id integer REFERENCES staff, hire_date date NOT NULL, monthly_salary numeric(10, 2) NOT NULL, is_active boolean NOT NULL, work_email text NOT NULL UNIQUE);
CREATE TABLE projects (project_id integer PRIMARY KEY, project_name text NOT NULL, dept_id integer NOT NULL REFERENCES departments, lead_id integer REFERENCES staff,
  started_on date NOT NULL, finished_on date, planned_cost numeric(14, 2) NOT NULL, status text NOT NULL);
CREATE TABLE timesheets (timesheet_id bigint PRIMARY KEY, staff_id integer NOT NULL REFERENCES staff, project_id integer NOT NULL REFERENCES projects,
  worked_on date NOT NULL, hours_worked double precision NOT NULL, billable boolean NOT NULL, note text);
CREATE TABLE vendors (vendor_id integer PRIMARY KEY, vendor_name text NOT NULL, country_code char(2) REFERENCES countries, rating smallint);
CREATE TABLE purchase_orders (po_id integer PRIMARY KEY, po_number text NOT NULL UNIQUE, vendor_id integer NOT NULL REFERENCES vendors, ordered_at timestamp NOT NULL,
  total_amount numeric(12, 2) NOT NULL, approved boolean NOT NULL, approver_id integer REFERENCES staff);
CREATE TABLE po_lines (po_id integer NOT NULL REFERENCES purchase_orders, line_no integer NOT NULL, item_code text NOT NULL, quantity integer NOT NULL,
  unit_cost numeric(10, 2) NOT NULL, PRIMARY KEY (po_id, line_no));
CREATE TABLE items (item_code text PRIMARY KEY, item_name text NOT NULL, category text NOT NULL, weight_kg double precision, min_price numeric(10, 2), max_price numeric(10, 2));
CREATE TABLE clients (client_id integer PRIMARY KEY, client_name text NOT NULL, industry text, country_code char(2) NOT NULL REFERENCES countries, created_at timestamptz NOT NULL, updated_at timestamptz);
CREATE TABLE contracts (contract_id integer PRIMARY KEY, client_id integer NOT NULL REFERENCES clients, project_id integer REFERENCES projects, start_date date NOT NULL, end_date date,
  contract_value numeric(14, 2) NOT NULL, signed boolean NOT NULL);
CREATE TABLE invoices (invoice_id integer PRIMARY KEY, invoice_no text NOT NULL UNIQUE, contract_id integer NOT NULL REFERENCES contracts, issued_on date NOT NULL, due_on date NOT NULL,
  gross_amount numeric(12, 2) NOT NULL, net_amount numeric(12, 2) NOT NULL, paid boolean NOT NULL);
CREATE TABLE receipts (receipt_id integer PRIMARY KEY, invoice_id integer NOT NULL REFERENCES invoices, received_on date NOT NULL, amount numeric(12, 2) NOT NULL, method text NOT NULL);
CREATE TABLE tickets (ticket_id integer PRIMARY KEY, client_id integer NOT NULL REFERENCES clients, assignee_id integer REFERENCES staff, opened_at timestamp NOT NULL, closed_at timestamp,
  priority text NOT NULL, subject text NOT NULL);
CREATE TABLE skills (skill_id integer PRIMARY KEY, skill_name text NOT NULL);
CREATE TABLE staff_skills (staff_id integer NOT NULL REFERENCES staff, skill_id integer NOT NULL REFERENCES skills, level integer NOT NULL, PRIMARY KEY (staff_id, skill_id));
CREATE TABLE assets (asset_id integer PRIMARY KEY, asset_tag text NOT NULL, holder_id integer REFERENCES staff, bought_on date NOT NULL, purchase_price numeric(10, 2) NOT NULL, serial_number text);
CREATE TABLE warehouses (warehouse_id integer PRIMARY KEY, warehouse_name text NOT NULL, city text NOT NULL);
CREATE TABLE stock_levels (warehouse_id integer NOT NULL REFERENCES warehouses, item_code text NOT NULL REFERENCES items, on_hand integer NOT NULL, reorder_point integer NOT NULL, PRIMARY KEY (warehouse_id, item_code));
CREATE TABLE erp_archive.legacy_invoices (invoice_id integer PRIMARY KEY, legacy_ref text NOT NULL, amount numeric(12, 2) NOT NULL);
CREATE VIEW project_hours AS SELECT p.project_id, p.project_name, sum(t.hours_worked) AS total_hours FROM projects p JOIN timesheets t USING (project_id) GROUP BY p.project_id;

DO $$
DECLARE area text; kind text;
BEGIN
  FOREACH area IN ARRAY ARRAY['hr','fin','crm','log','mfg','qa','legal','it','mkt','fac','rnd','exp','imp','cust','tax','audit'] LOOP
    FOREACH kind IN ARRAY ARRAY['accounts','batches','events','forms','journals','keys','logs','rules','runs','settings','tasks','visits'] LOOP
      EXECUTE format('CREATE TABLE %I (%I integer PRIMARY KEY, label text, state text, amount numeric, created_at timestamptz, owner_id integer)',
                     area || '_' || kind, area || '_' || kind || '_id');
      EXECUTE format('INSERT INTO %I SELECT n, ''%s '' || n, (ARRAY[''new'',''open'',''done''])[1 + n %% 3], n * 1.5, timestamptz ''2024-01-01 00:00+00'' + n * interval ''5 hours'', n %% 30 FROM generate_series(1, 12) n',
                     area || '_' || kind, kind);
    END LOOP;
  END LOOP;
END $$;

INSERT INTO countries VALUES ('DE','Germany','Europe'),('FR','France','Europe'),('US','United States','Americas'),('BR','Brazil','Americas'),('JP','Japan','Asia'),('IN','India','Asia');
INSERT INTO offices SELECT n, (ARRAY['Berlin','Paris','Boston','Recife','Osaka','Pune'])[n], (ARRAY['DE','FR','US','BR','JP','IN'])[n], date '2001-05-01' + n * 300 FROM generate_series(1, 6) n;
INSERT INTO departments SELECT n, (ARRAY['Sales','Research','Support','Finance','Legal','Logistics','Design','People'])[n], 1 + n % 6, 100000 + n * 25000 FROM generate_series(1, 8) n;
INSERT INTO staff SELECT n, (ARRAY['Ada','Bo','Cy','Di','Ed','Flo'])[1 + n % 6], (ARRAY['Kent','Lund','Mora','Nash','Ott'])[1 + n % 5], 1 + n % 8, CASE WHEN n > 8 THEN 1 + n % 8 END,
  date '2010-01-15' + n * 37, 2500 + n * 31 % 4000, n % 6 <> 0, 'staff' || n || '@erp.example' FROM generate_series(1, 120) n;
INSERT INTO projects SELECT n, 'Project ' || n, 1 + n % 8, CASE WHEN n % 4 <> 0 THEN 1 + n % 120 END, date '2020-02-01' + n * 20, CASE WHEN n % 3 = 0 THEN date '2021-02-01' + n * 21 END, 5000 + n * 777, (ARRAY['open','closed','paused'])[1 + n % 3] FROM generate_series(1, 60) n;
INSERT INTO timesheets SELECT n, 1 + n * 7 % 120, 1 + n % 60, date '2023-01-02' + n % 360, 1 + (n * 13 % 70) / 10.0, n % 3 <> 0, CASE WHEN n % 4 = 0 THEN 'note ' || n END FROM generate_series(1, 4000) n;
INSERT INTO vendors SELECT n, 'Vendor ' || n, CASE WHEN n % 5 <> 0 THEN (ARRAY['DE','FR','US','BR','JP','IN'])[1 + n % 6] END, 1 + n % 5 FROM generate_series(1, 30) n;
INSERT INTO purchase_orders SELECT n, 'PO-' || lpad(n::text, 5, '0'), 1 + n % 30, timestamp '2023-01-01 10:00' + n * interval '13 hours', 100 + n * 17 % 5000, n % 4 <> 0, CASE WHEN n % 4 <> 0 THEN 1 + n % 120 END FROM generate_series(1, 500) n;
INSERT INTO items SELECT 'I' || lpad(n::text, 4, '0'), 'Item ' || n, (ARRAY['tools','paper','metal','parts'])[1 + n % 4], n % 50 + n / 7.0, n, n * 2 FROM generate_series(1, 150) n;
INSERT INTO po_lines SELECT o, l, 'I' || lpad((1 + (o * 3 + l) % 150)::text, 4, '0'), 1 + (o + l) % 9, 1 + (o * l) % 90 FROM generate_series(1, 500) o, generate_series(1, 3) l;
INSERT INTO clients SELECT n, 'Client ' || n, (ARRAY['retail','health','energy',NULL])[1 + n % 4], (ARRAY['DE','FR','US','BR','JP','IN'])[1 + n % 6], timestamptz '2019-01-01 00:00+00' + n * interval '9 days', CASE WHEN n % 2 = 0 THEN timestamptz '2023-01-01 00:00+00' + n * interval '1 day' END FROM generate_series(1, 80) n;
INSERT INTO contracts SELECT n, 1 + n % 80, CASE WHEN n % 5 <> 0 THEN 1 + n % 60 END, date '2021-01-01' + n * 6, CASE WHEN n % 4 <> 0 THEN date '2022-06-01' + n * 6 END, 10000 + n * 321, n % 7 <> 0 FROM generate_series(1, 160) n;
INSERT INTO invoices SELECT n, 'INV-' || lpad(n::text, 6, '0'), 1 + n % 160, date '2022-01-10' + n, date '2022-02-10' + n, 119 + n * 11, 100 + n * 9, n % 3 <> 0 FROM generate_series(1, 600) n;
INSERT INTO receipts SELECT n, n, date '2022-02-01' + n, 50 + n * 5, (ARRAY['bank','card','cash'])[1 + n % 3] FROM generate_series(1, 400) n;
INSERT INTO tickets SELECT n, 1 + n % 80, CASE WHEN n % 6 <> 0 THEN 1 + n % 120 END, timestamp '2023-05-01 08:00' + n * interval '3 hours', CASE WHEN n % 4 <> 0 THEN timestamp '2023-05-03 08:00' + n * interval '4 hours' END, (ARRAY['low','normal','high'])[1 + n % 3], 'Subject ' || n FROM generate_series(1, 700) n;
INSERT INTO skills SELECT n, (ARRAY['SQL','Rust','Welding','Sales','French'])[n] FROM generate_series(1, 5) n;
INSERT INTO staff_skills SELECT s, k, 1 + (s + k) % 5 FROM generate_series(1, 120) s, generate_series(1, 5) k WHERE (s + k) % 3 = 0;
INSERT INTO assets SELECT n, 'TAG-' || n, CASE WHEN n % 3 <> 0 THEN 1 + n % 120 END, date '2018-01-01' + n * 9, 200 + n * 3, 'SN' || n * 7919 FROM generate_series(1, 200) n;
INSERT INTO warehouses SELECT n, 'Warehouse ' || n, (ARRAY['Berlin','Lyon','Boston'])[n] FROM generate_series(1, 3) n;
INSERT INTO stock_levels SELECT w, 'I' || lpad(i::text, 4, '0'), (w * i * 7) % 100, 20 FROM generate_series(1, 3) w, generate_series(1, 150) i;
INSERT INTO erp_archive.legacy_invoices SELECT n, 'L-' || n, n * 10 FROM generate_series(1, 50) n;
-- Keys that are called id, one that is not validated, and a text that refers to a number.
CREATE TABLE depots (id integer PRIMARY KEY, depot_city text NOT NULL);
CREATE TABLE vans (id integer PRIMARY KEY, depot_id integer, plate text NOT NULL);
CREATE TABLE van_trips (id integer PRIMARY KEY, van_id integer NOT NULL REFERENCES vans, km integer NOT NULL);
CREATE TABLE van_notes (van_id text NOT NULL, note_text text NOT NULL);
INSERT INTO depots SELECT n, 'Depot ' || n FROM generate_series(1, 4) n;
INSERT INTO vans SELECT n, 1 + n % 6, 'V-' || n FROM generate_series(11, 30) n;
INSERT INTO van_trips SELECT n, 11 + n % 20, n * 7 % 90 FROM generate_series(1, 200) n;
INSERT INTO van_notes SELECT (11 + n % 20)::text, 'note ' || n FROM generate_series(1, 30) n;
ALTER TABLE vans ADD FOREIGN KEY (depot_id) REFERENCES depots NOT VALID;
ANALYZE;
RESET search_path;
