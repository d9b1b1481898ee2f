-- Tables as spreadsheets and older databases bring them along: mixed case, spaces, signs.
-- Everything is computed from row numbers, so that every load is the same.
CREATE SCHEMA schools;
SET search_path TO schools;

CREATE TABLE schools (
  "CDSCode" text PRIMARY KEY,
  "County" text NOT NULL,
  "District" text NOT NULL,
  "School" text,
  "Street" text,
  "City" text,
  "Zip" text,
  "Phone" text,
  "OpenDate" date,
  "ClosedDate" date,
  "Charter" integer,
  "FundingType" text,
  "Virtual" text,
  "GSoffered" text,
  "Latitude" double precision,
  "Longitude" double precision,
  "AdmFName1" text,
  "AdmLName1" text
);

CREATE TABLE frpm (
  "CDSCode" text PRIMARY KEY REFERENCES schools,
  "Academic Year" text NOT NULL,
  "County Name" text NOT NULL,
  "District Name" text NOT NULL,
  "School Name" text NOT NULL,
  "School Type" text,
  "Charter School (Y/N)" integer,
  "Enrollment (K-12)" double precision,
  "Free Meal Count (K-12)" double precision,
  "Percent (%) Eligible Free (K-12)" double precision,
  "FRPM Count (K-12)" double precision,
  "Free Meal Count (Ages 5-17)" double precision
);

CREATE TABLE satscores (
  cds text PRIMARY KEY REFERENCES schools,
  rtype text NOT NULL,
  sname text,
  dname text,
  cname text,
  enroll12 integer NOT NULL,
  "NumTstTakr" integer NOT NULL,
  "AvgScrRead" integer,
  "AvgScrMath" integer,
  "AvgScrWrite" integer,
  "NumGE1500" integer
);

CREATE TABLE "Customers" (
  "CustomerID" integer PRIMARY KEY,
  "CompanyName" text NOT NULL,
  "ContactName" text,
  "Country" text NOT NULL
);

CREATE TABLE "Invoices" (
  "InvoiceID" integer PRIMARY KEY,
  "CustomerID" integer NOT NULL REFERENCES "Customers",
  "InvoiceDate" date NOT NULL,
  "Total" numeric(10, 2) NOT NULL
);

CREATE TABLE "Invoice Lines" (
  "LineID" integer PRIMARY KEY,
  "InvoiceID" integer NOT NULL REFERENCES "Invoices",
  "Track Name" text NOT NULL,
  "Unit Price" numeric(10, 2) NOT NULL,
  "Quantity" integer NOT NULL
);

CREATE TABLE circuits (
  "circuitId" integer PRIMARY KEY,
  "circuitRef" text NOT NULL,
  name text NOT NULL,
  location text,
  country text NOT NULL
);

CREATE TABLE drivers (
  "driverId" integer PRIMARY KEY,
  "driverRef" text NOT NULL,
  forename text NOT NULL,
  surname text NOT NULL,
  nationality text,
  dob date
);

CREATE TABLE races (
  "raceId" integer PRIMARY KEY,
  year integer NOT NULL,
  round integer NOT NULL,
  "circuitId" integer NOT NULL REFERENCES circuits,
  name text NOT NULL,
  date date NOT NULL
);

CREATE TABLE results (
  "resultId" integer PRIMARY KEY,
  "raceId" integer NOT NULL REFERENCES races,
  "driverId" integer NOT NULL REFERENCES drivers,
  grid integer NOT NULL,
  points double precision NOT NULL,
  "positionOrder" integer NOT NULL,
  "fastestLapTime" text,
  "rank" integer
);

INSERT INTO schools
SELECT lpad(n::text, 8, '0'),
       (ARRAY['Alameda','Contra Costa','Fresno','Kern','Los Angeles','Marin'])[1 + n % 6],
       (ARRAY['Oakland Unified','Fresno Unified','Kern High','San Rafael City'])[1 + n % 4],
       'School ' || n, n || ' Main Street',
       (ARRAY['Oakland','Fresno','Bakersfield','San Rafael','Los Angeles'])[1 + n % 5],
       lpad((90000 + n * 7)::text, 5, '0'), '(510) 555-' || lpad(n::text, 4, '0'),
       date '1980-07-01' + n * 40, CASE WHEN n % 9 = 0 THEN date '2010-06-30' + n END,
       CASE WHEN n % 7 = 0 THEN NULL WHEN n % 3 = 0 THEN 1 ELSE 0 END,
       (ARRAY['Directly funded','Locally funded',NULL])[1 + n % 3],
       (ARRAY['N','F','P'])[1 + n % 3], (ARRAY['K-5','6-8','9-12','K-12'])[1 + n % 4],
       32 + n % 9 + n * 0.001, -114 - n % 7 - n * 0.001,
       (ARRAY['Kacey','Ana','Lee','Sam'])[1 + n % 4], (ARRAY['Gibson','Ruiz','Wong','Hill','Novak'])[1 + n % 5]
  FROM generate_series(1, 240) n;
INSERT INTO frpm
SELECT "CDSCode", '2014-2015', "County", "District", "School",
       (ARRAY['K-12 Schools (Public)','High Schools (Public)','Elementary Schools (Public)'])[1 + length("School") % 3],
       "Charter", 100 + "CDSCode"::int * 13 % 900, 10 + "CDSCode"::int * 7 % 90,
       round(((10 + "CDSCode"::int * 7 % 90) / (100.0 + "CDSCode"::int * 13 % 900))::numeric, 4),
       20 + "CDSCode"::int * 7 % 90, 9 + "CDSCode"::int * 7 % 90
  FROM schools WHERE "CDSCode"::int % 10 <> 3;
INSERT INTO satscores
SELECT "CDSCode", CASE WHEN "CDSCode"::int % 8 = 0 THEN 'D' ELSE 'S' END, "School", "District", "County",
       50 + "CDSCode"::int * 11 % 700, 30 + "CDSCode"::int * 5 % 400,
       CASE WHEN "CDSCode"::int % 11 <> 0 THEN 380 + "CDSCode"::int * 3 % 260 END,
       CASE WHEN "CDSCode"::int % 11 <> 0 THEN 390 + "CDSCode"::int * 7 % 270 END,
       CASE WHEN "CDSCode"::int % 11 <> 0 THEN 370 + "CDSCode"::int * 5 % 250 END,
       "CDSCode"::int * 3 % 200
  FROM schools WHERE "CDSCode"::int % 4 <> 1;
INSERT INTO "Customers"
SELECT n, (ARRAY['Alfreds','Berglunds','Chop-suey','Drachenblut','Ernst'])[1 + n % 5] || ' ' || n,
       CASE WHEN n % 6 <> 0 THEN 'Contact ' || n END, (ARRAY['Germany','Sweden','Switzerland','USA','Brazil'])[1 + n % 5]
  FROM generate_series(1, 60) n;
INSERT INTO "Invoices"
SELECT n, 1 + n * 17 % 60, date '2012-01-03' + n * 5, round((n * 37 % 2500 / 10.0 + 0.99)::numeric, 2) FROM generate_series(1, 300) n;
INSERT INTO "Invoice Lines"
SELECT n, 1 + n % 300, 'Track ' || n % 90, (ARRAY[0.99, 1.99, 1.29])[1 + n % 3], 1 + n % 4 FROM generate_series(1, 900) n;
INSERT INTO circuits
SELECT n, 'circuit_' || n, 'Circuit ' || n, 'Town ' || n, (ARRAY['Italy','Spain','UK','Germany','Japan'])[1 + n % 5] FROM generate_series(1, 20) n;
INSERT INTO drivers
SELECT n, 'driver_' || n, (ARRAY['Lewis','Nico','Kimi','Ayrton','Alain'])[1 + n % 5], (ARRAY['Hill','Senna','Prost','Moss','Lauda','Hunt'])[1 + n % 6],
       (ARRAY['British','German','Finnish','Brazilian'])[1 + n % 4], date '1960-02-01' + n * 211 FROM generate_series(1, 50) n;
INSERT INTO races
SELECT n, 2000 + n / 10, 1 + n % 10, 1 + n % 20, 'Grand Prix ' || n % 20, date '2000-03-10' + n * 34 FROM generate_series(1, 100) n;
INSERT INTO results
SELECT n, 1 + n % 100, 1 + n * 7 % 50, n % 22, (ARRAY[25, 18, 15, 12.5, 10, 0, 0, 0])[1 + n % 8], 1 + n % 20,
       CASE WHEN n % 5 <> 0 THEN '1:' || 20 + n % 40 || '.' || lpad((n % 1000)::text, 3, '0') END, CASE WHEN n % 5 <> 0 THEN 1 + n % 20 END
  FROM generate_series(1, 1500) n;
ANALYZE;
RESET search_path;
