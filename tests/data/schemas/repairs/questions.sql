-- Schemas in the manner of public question sets: names of tables and columns as Postgres has them after
-- a conversion, with rows of our own, computed from row numbers.
CREATE SCHEMA formula_1;
SET search_path TO formula_1;
CREATE TABLE circuits (
  circuitid bigint PRIMARY KEY,
  circuitref text,
  name text,
  location text,
  country text,
  lat double precision,
  lng double precision,
  url text
);
INSERT INTO circuits
SELECT n,
       'circuit_'||n,
       'Circuit '||n,
       'Town '||n,
       (ARRAY['Italy','Spain','UK','Germany','Japan'])[1 + n % 5],
       20+n*1.37,
       n*2.11,
       'http://c/'||n
  FROM generate_series(1, 15) n;
CREATE TABLE status (
  statusid bigint PRIMARY KEY,
  status text
);
INSERT INTO status
SELECT n,
       (ARRAY['Finished','Engine','Collision','+1 Lap','Gearbox','Accident'])[1 + n % 6]
  FROM generate_series(1, 6) n;
CREATE TABLE drivers (
  driverid bigint PRIMARY KEY,
  driverref text,
  number bigint,
  code text,
  forename text,
  surname text,
  dob date,
  nationality text,
  url text
);
INSERT INTO drivers
SELECT n,
       'driver_'||n,
       CASE WHEN n%4<>0 THEN n+3 END,
       CASE WHEN n%5<>0 THEN 'C'||n END,
       (ARRAY['Lewis','Nico','Kimi','Ayrton','Alain'])[1 + n % 5],
       'Driver'||n,
       date '1965-01-11'+n*307,
       (ARRAY['British','German','Finnish','Brazilian'])[1 + n % 4],
       'http://d/'||n
  FROM generate_series(1, 30) n;
CREATE TABLE constructors (
  constructorid bigint PRIMARY KEY,
  constructorref text,
  name text,
  nationality text,
  url text
);
INSERT INTO constructors
SELECT n,
       'team_'||n,
       (ARRAY['Ferrari','McLaren','Williams','Renault','Sauber','Lotus','Minardi','Jordan'])[1 + n % 8],
       (ARRAY['Italian','British','French'])[1 + n % 3],
       'http://k/'||n
  FROM generate_series(1, 8) n;
CREATE TABLE races (
  raceid bigint PRIMARY KEY,
  year bigint,
  round bigint,
  circuitid bigint NOT NULL REFERENCES circuits,
  name text,
  date date,
  time text,
  url text
);
INSERT INTO races
SELECT n,
       2000+n/10,
       1+n%10,
       1+n*7%15,
       (ARRAY['Monaco Grand Prix','Italian Grand Prix','British Grand Prix','Spanish Grand Prix','Japanese Grand Prix','German Grand Prix','Australian Grand Prix'])[1 + n % 7],
       date '2000-03-12'+n*37,
       CASE WHEN n%6<>0 THEN lpad((n%24)::text,2,'0')||':00:00' END,
       'http://r/'||n
  FROM generate_series(1, 60) n;
CREATE TABLE results (
  resultid bigint PRIMARY KEY,
  raceid bigint NOT NULL REFERENCES races,
  driverid bigint NOT NULL REFERENCES drivers,
  constructorid bigint NOT NULL REFERENCES constructors,
  number bigint,
  grid bigint,
  position bigint,
  positiontext text,
  positionorder bigint,
  points double precision,
  laps bigint,
  time text,
  milliseconds bigint,
  fastestlap bigint,
  rank bigint,
  fastestlaptime text,
  fastestlapspeed text,
  statusid bigint NOT NULL REFERENCES status
);
INSERT INTO results
SELECT n,
       1+n%60,
       1+n*7%30,
       1+n*5%8,
       n%40,
       n%22,
       CASE WHEN n%4<>0 THEN 1+n%20 END,
       CASE WHEN n%4<>0 THEN (1+n%20)::text ELSE 'R' END,
       1+n%20,
       (ARRAY[10,8,6.5,4,0,0,0])[1+n%7],
       40+n%30,
       CASE WHEN n%4<>0 THEN '1:'||lpad((n%60)::text,2,'0')||':'||lpad((n*7%60)::text,2,'0') END,
       CASE WHEN n%4<>0 THEN 5000000+n*97 END,
       n%60,
       n%20,
       '1:'||20+n%40||'.'||lpad((n%1000)::text,3,'0'),
       (180+n%50)::text||'.'||n%10,
       1+n%6
  FROM generate_series(1, 900) n;
CREATE TABLE driverstandings (
  driverstandingsid bigint PRIMARY KEY,
  raceid bigint NOT NULL REFERENCES races,
  driverid bigint NOT NULL REFERENCES drivers,
  points double precision,
  position bigint,
  positiontext text,
  wins bigint
);
INSERT INTO driverstandings
SELECT n,
       1+n%60,
       1+n*11%30,
       n%90,
       1+n%20,
       (1+n%20)::text,
       n%6
  FROM generate_series(1, 300) n;
CREATE TABLE laptimes (
  raceid bigint NOT NULL REFERENCES races,
  driverid bigint NOT NULL REFERENCES drivers,
  lap bigint,
  position bigint,
  time text,
  milliseconds bigint,
  PRIMARY KEY (raceid, driverid, lap)
);
INSERT INTO laptimes
SELECT 1+n%12,
       1+n/12%10,
       1+n/120,
       1+n%20,
       '1:'||20+n%40||'.'||lpad((n%1000)::text,3,'0'),
       80000+n*31%9000
  FROM generate_series(1, 600) n;
CREATE TABLE qualifying (
  qualifyid bigint PRIMARY KEY,
  raceid bigint NOT NULL REFERENCES races,
  driverid bigint NOT NULL REFERENCES drivers,
  constructorid bigint NOT NULL REFERENCES constructors,
  number bigint,
  position bigint,
  q1 text,
  q2 text
);
INSERT INTO qualifying
SELECT n,
       1+n%60,
       1+n*13%30,
       1+n%8,
       n%40,
       1+n%20,
       '1:'||20+n%40||'.'||lpad((n%1000)::text,3,'0'),
       CASE WHEN n%2=0 THEN '1:2'||n%10||'.5' END
  FROM generate_series(1, 250) n;
CREATE SCHEMA financial;
SET search_path TO financial;
CREATE TABLE district (
  district_id bigint PRIMARY KEY,
  "A2" text,
  "A3" text,
  "A4" text,
  "A10" double precision,
  "A11" bigint,
  "A12" double precision,
  "A15" bigint,
  "A16" bigint
);
INSERT INTO district
SELECT n,
       'District '||n,
       (ARRAY['Prague','central Bohemia','south Bohemia','east Bohemia'])[1 + n % 4],
       (40000+n*377)::text,
       40+n*1.3,
       8000+n*133,
       n*0.37,
       n*211,
       n*207
  FROM generate_series(1, 12) n;
CREATE TABLE account (
  account_id bigint PRIMARY KEY,
  district_id bigint NOT NULL REFERENCES district,
  frequency text,
  date date
);
INSERT INTO account
SELECT n,
       1+n*5%12,
       (ARRAY['POPLATEK MESICNE','POPLATEK TYDNE','POPLATEK PO OBRATU'])[1 + n % 3],
       date '1993-01-05'+n*23
  FROM generate_series(1, 80) n;
CREATE TABLE client (
  client_id bigint PRIMARY KEY,
  gender text,
  birth_date date,
  district_id bigint NOT NULL REFERENCES district
);
INSERT INTO client
SELECT n,
       (ARRAY['F','M'])[1 + n % 2],
       date '1940-02-01'+n*211,
       1+n*7%12
  FROM generate_series(1, 90) n;
CREATE TABLE disp (
  disp_id bigint PRIMARY KEY,
  client_id bigint NOT NULL REFERENCES client,
  account_id bigint NOT NULL REFERENCES account,
  type text
);
INSERT INTO disp
SELECT n,
       n,
       1+n%80,
       CASE WHEN n>80 THEN 'DISPONENT' ELSE 'OWNER' END
  FROM generate_series(1, 90) n;
CREATE TABLE card (
  card_id bigint PRIMARY KEY,
  disp_id bigint NOT NULL REFERENCES disp,
  type text,
  issued date
);
INSERT INTO card
SELECT n,
       n*3,
       (ARRAY['gold','classic','junior'])[1 + n % 3],
       date '1994-03-01'+n*51
  FROM generate_series(1, 30) n;
CREATE TABLE loan (
  loan_id bigint PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES account,
  date date,
  amount bigint,
  duration bigint,
  payments double precision,
  status text
);
INSERT INTO loan
SELECT n,
       n*2,
       date '1994-01-05'+n*37,
       20000+n*7333%200000,
       12*(1+n%5),
       1000+n*111.5,
       (ARRAY['A','B','C','D'])[1 + n % 4]
  FROM generate_series(1, 40) n;
CREATE TABLE "order" (
  order_id bigint PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES account,
  bank_to text,
  account_to bigint,
  amount double precision,
  k_symbol text
);
INSERT INTO "order"
SELECT n,
       1+n*3%80,
       (ARRAY['AB','CD','EF'])[1 + n % 3],
       n*977,
       100+n*37.5,
       (ARRAY['SIPO','UVER','POJISTNE'])[1 + n % 3]
  FROM generate_series(1, 120) n;
CREATE TABLE trans (
  trans_id bigint PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES account,
  date date,
  type text,
  operation text,
  amount bigint,
  balance bigint,
  k_symbol text
);
INSERT INTO trans
SELECT n,
       1+n*11%80,
       date '1995-01-01'+n*3,
       (ARRAY['PRIJEM','VYDAJ'])[1 + n % 2],
       (ARRAY['VKLAD','VYBER','PREVOD NA UCET'])[1 + n % 3],
       100+n*37,
       1000+n*91%70000,
       CASE WHEN n%3=0 THEN 'SIPO' END
  FROM generate_series(1, 500) n;
CREATE SCHEMA california_schools;
SET search_path TO california_schools;
CREATE TABLE schools (
  cdscode text PRIMARY KEY,
  county text,
  district text,
  school text,
  street text,
  city text,
  zip text,
  state text,
  phone text,
  website text,
  opendate date,
  closeddate date,
  charter bigint,
  charternum text,
  fundingtype text,
  doc text,
  doctype text,
  gsoffered text,
  virtual text,
  magnet bigint,
  latitude double precision,
  longitude double precision,
  admfname1 text,
  admlname1 text,
  admemail1 text,
  mailstreet text,
  mailcity text
);
INSERT INTO schools
SELECT lpad(n::text,8,'0'),
       (ARRAY['Alameda','Contra Costa','Fresno','Kern','Los Angeles','Marin'])[1 + n % 6],
       (ARRAY['Oakland Unified','Fresno Unified','Kern High'])[1 + n % 3],
       'School '||n,
       n||' Main St',
       (ARRAY['Oakland','Fresno','Bakersfield','San Rafael'])[1 + n % 4],
       (90000+n)::text,
       'CA',
       '(510) '||n,
       'www.s'||n||'.org',
       date '1980-07-01'+n*60,
       CASE WHEN n%9=0 THEN date '2010-06-30'+n END,
       CASE WHEN n%7=0 THEN NULL ELSE n%3/2 END,
       CASE WHEN n%3=2 THEN lpad((n*7)::text,4,'0') END,
       (ARRAY['Directly funded','Locally funded'])[1 + n % 2],
       (ARRAY['52','54','00'])[1 + n % 3],
       (ARRAY['Unified School District','High School District'])[1 + n % 2],
       (ARRAY['K-5','6-8','9-12','K-12'])[1 + n % 4],
       (ARRAY['N','F','P'])[1 + n % 3],
       n%2,
       32+n*0.03,
       -114-n*0.03,
       (ARRAY['Kacey','Ana','Lee'])[1 + n % 3],
       (ARRAY['Gibson','Ruiz'])[1 + n % 2],
       'a'||n||'@s.org',
       'PO Box '||n,
       (ARRAY['Oakland','Hickman','Tustin'])[1 + n % 3]
  FROM generate_series(1, 150) n;
CREATE TABLE frpm (
  cdscode text PRIMARY KEY REFERENCES schools,
  "Academic Year" text,
  "County Name" text,
  "District Code" bigint,
  "District Name" text,
  "School Name" text,
  "School Type" text,
  "Educational Option Type" text,
  "Charter School (Y/N)" bigint,
  "Charter Funding Type" text,
  "Low Grade" text,
  "High Grade" text,
  "Enrollment (K-12)" double precision,
  "Free Meal Count (K-12)" double precision,
  "Percent (%) Eligible Free (K-12)" double precision,
  "FRPM Count (K-12)" double precision,
  "Enrollment (Ages 5-17)" double precision,
  "Free Meal Count (Ages 5-17)" double precision,
  "FRPM Count (Ages 5-17)" double precision
);
INSERT INTO frpm
SELECT lpad(n::text,8,'0'),
       '2014-2015',
       (ARRAY['Alameda','Contra Costa','Fresno','Kern','Los Angeles','Marin'])[1 + n % 6],
       1000+n%9,
       (ARRAY['Oakland Unified','Fresno Unified','Kern High'])[1 + n % 3],
       'School '||n,
       (ARRAY['High Schools (Public)','Elementary Schools (Public)'])[1 + n % 2],
       (ARRAY['Traditional','Continuation School','State Special School'])[1 + n % 3],
       n%3/2,
       (ARRAY['Directly funded','Locally funded'])[1 + n % 2],
       (ARRAY['K','6','9'])[1 + n % 3],
       (ARRAY['5','8','12'])[1 + n % 3],
       100+n*13%900,
       10+n*7%90,
       (10+n*7%90)/(100.0+n*13%900),
       20+n*7%90,
       90+n*13%900,
       9+n*7%90,
       19+n*7%90
  FROM generate_series(1, 130) n;
CREATE TABLE satscores (
  cds text PRIMARY KEY REFERENCES schools,
  rtype text,
  sname text,
  dname text,
  cname text,
  enroll12 bigint,
  numtsttakr bigint,
  avgscrread bigint,
  avgscrmath bigint,
  avgscrwrite bigint,
  numge1500 bigint
);
INSERT INTO satscores
SELECT lpad(n::text,8,'0'),
       (ARRAY['S','D'])[1 + n % 2],
       'School '||n,
       (ARRAY['Oakland Unified','Fresno Unified'])[1 + n % 2],
       (ARRAY['Alameda','Contra Costa','Fresno'])[1 + n % 3],
       50+n*11%700,
       30+n*5%400,
       CASE WHEN n%11<>0 THEN 380+n*3%260 END,
       CASE WHEN n%11<>0 THEN 390+n*7%270 END,
       CASE WHEN n%11<>0 THEN 370+n*5%250 END,
       n*3%200
  FROM generate_series(1, 110) n;
CREATE SCHEMA superhero;
SET search_path TO superhero;
CREATE TABLE alignment (
  id bigint PRIMARY KEY,
  alignment text
);
INSERT INTO alignment
SELECT n,
       (ARRAY['Good','Bad','Neutral','N/A'])[1 + n % 4]
  FROM generate_series(1, 4) n;
CREATE TABLE attribute (
  id bigint PRIMARY KEY,
  attribute_name text
);
INSERT INTO attribute
SELECT n,
       (ARRAY['Intelligence','Strength','Speed','Durability','Power','Combat'])[1 + n % 6]
  FROM generate_series(1, 6) n;
CREATE TABLE colour (
  id bigint PRIMARY KEY,
  colour text
);
INSERT INTO colour
SELECT n,
       (ARRAY['Blue','Black','Green','Red','Brown','Blond','White','No Colour','Amber','Gold','Grey','Pink'])[1 + n % 12]
  FROM generate_series(1, 12) n;
CREATE TABLE gender (
  id bigint PRIMARY KEY,
  gender text
);
INSERT INTO gender
SELECT n,
       (ARRAY['Male','Female','N/A'])[1 + n % 3]
  FROM generate_series(1, 3) n;
CREATE TABLE publisher (
  id bigint PRIMARY KEY,
  publisher_name text
);
INSERT INTO publisher
SELECT n,
       (ARRAY['Marvel Comics','DC Comics','Dark Horse Comics','Image Comics','NBC - Heroes'])[1 + n % 5]
  FROM generate_series(1, 5) n;
CREATE TABLE race (
  id bigint PRIMARY KEY,
  race text
);
INSERT INTO race
SELECT n,
       (ARRAY['Human','Alien','Mutant','Demi-God','Android','Vampire'])[1 + n % 6]
  FROM generate_series(1, 6) n;
CREATE TABLE superpower (
  id bigint PRIMARY KEY,
  power_name text
);
INSERT INTO superpower
SELECT n,
       (ARRAY['Agility','Flight','Super Strength','Telepathy','Stamina','Magic','Time Travel','Danger Sense','Cold Resistance','Lantern Power Ring'])[1 + n % 10]
  FROM generate_series(1, 10) n;
CREATE TABLE superhero (
  id bigint PRIMARY KEY,
  superhero_name text,
  full_name text,
  gender_id bigint REFERENCES gender,
  eye_colour_id bigint REFERENCES colour,
  hair_colour_id bigint REFERENCES colour,
  skin_colour_id bigint REFERENCES colour,
  race_id bigint REFERENCES race,
  publisher_id bigint REFERENCES publisher,
  alignment_id bigint REFERENCES alignment,
  height_cm bigint,
  weight_kg bigint
);
INSERT INTO superhero
SELECT n,
       'Hero '||n,
       CASE WHEN n%5<>0 THEN 'Person '||n END,
       1+n%3,
       1+n%12,
       1+n*5%12,
       1+n*7%12,
       1+n%6,
       1+n%5,
       1+n*3%4,
       CASE WHEN n%9=0 THEN NULL ELSE 150+n%80 END,
       CASE WHEN n%10=0 THEN 0 ELSE 50+n%100 END
  FROM generate_series(1, 120) n;
CREATE TABLE hero_attribute (
  hero_id bigint NOT NULL REFERENCES superhero,
  attribute_id bigint NOT NULL REFERENCES attribute,
  attribute_value bigint
);
INSERT INTO hero_attribute
SELECT 1+n%120,
       1+n%6,
       n*7%101
  FROM generate_series(1, 400) n;
CREATE TABLE hero_power (
  hero_id bigint NOT NULL REFERENCES superhero,
  power_id bigint NOT NULL REFERENCES superpower
);
INSERT INTO hero_power
SELECT 1+n%120,
       1+n*3%10
  FROM generate_series(1, 360) n;
CREATE SCHEMA card_games;
SET search_path TO card_games;
CREATE TABLE sets (
  id bigint PRIMARY KEY,
  "baseSetSize" bigint,
  block text,
  code text UNIQUE NOT NULL,
  "isFoilOnly" bigint,
  "keyruneCode" text,
  "mcmName" text,
  name text,
  "releaseDate" date,
  "totalSetSize" bigint,
  type text
);
INSERT INTO sets
SELECT n,
       100+n*11,
       (ARRAY['Ice Age','Mirage','Masques'])[1 + n % 3],
       'S'||n,
       n%2,
       'K'||n,
       'Mcm '||n,
       'Set '||n,
       date '2003-04-01'+n*300,
       120+n*11,
       (ARRAY['expansion','commander','core'])[1 + n % 3]
  FROM generate_series(1, 12) n;
CREATE TABLE cards (
  id bigint PRIMARY KEY,
  artist text,
  "asciiName" text,
  availability text,
  "borderColor" text,
  "cardKingdomFoilId" text,
  "cardKingdomId" text,
  colors text,
  "convertedManaCost" double precision,
  "edhrecRank" bigint,
  "faceName" text,
  "flavorText" text,
  "frameVersion" text,
  "hasFoil" bigint,
  "isPromo" bigint,
  "isTextless" bigint,
  layout text,
  "manaCost" text,
  name text,
  "originalType" text,
  power text,
  rarity text,
  "setCode" text REFERENCES sets (code),
  side text,
  subtypes text,
  types text,
  uuid text UNIQUE NOT NULL
);
INSERT INTO cards
SELECT n,
       (ARRAY['Stephen Daniel','Jeremy Jarvis','Aaron Miller','Ryan Pancoast'])[1 + n % 4],
       CASE WHEN n%50=0 THEN 'Ascii '||n END,
       (ARRAY['mtgo,paper','paper','arena,mtgo'])[1 + n % 3],
       (ARRAY['black','borderless','white'])[1 + n % 3],
       CASE WHEN n%3=0 THEN 'f'||n END,
       CASE WHEN n%4<>0 THEN 'k'||n END,
       (ARRAY['B','W','R,G'])[1 + n % 3],
       n%9,
       n*17%5000,
       CASE WHEN n%20=0 THEN 'Face '||n END,
       CASE WHEN n%3<>0 THEN 'Flavor '||n END,
       (ARRAY['1997','2003','2015'])[1 + n % 3],
       n%2,
       n%7/6,
       n%11/10,
       (ARRAY['normal','split'])[1 + n % 2],
       '{'||n%5||'}',
       'Card '||n,
       (ARRAY['Artifact','Creature - Elf'])[1 + n % 2],
       (ARRAY['1','2','3','*'])[1 + n % 4],
       (ARRAY['common','uncommon','rare','mythic'])[1 + n % 4],
       'S'||1+n%12,
       CASE WHEN n%30=0 THEN 'a' END,
       (ARRAY['Elf','Goblin','Angel'])[1 + n % 3],
       (ARRAY['Creature','Artifact','Instant'])[1 + n % 3],
       'u'||n
  FROM generate_series(1, 300) n;
CREATE TABLE legalities (
  id bigint PRIMARY KEY,
  format text,
  status text,
  uuid text REFERENCES cards (uuid)
);
INSERT INTO legalities
SELECT n,
       (ARRAY['commander','duel','legacy'])[1 + n/300 % 3],
       (ARRAY['Legal','Banned','Restricted','Legal','Legal'])[1 + n % 5],
       'u'||1+n%300
  FROM generate_series(1, 600) n;
CREATE TABLE rulings (
  id bigint PRIMARY KEY,
  date date,
  text text,
  uuid text REFERENCES cards (uuid)
);
INSERT INTO rulings
SELECT n,
       date '2004-10-01'+n*17,
       'Ruling '||n,
       'u'||1+n*3%300
  FROM generate_series(1, 200) n;
CREATE TABLE foreign_data (
  id bigint PRIMARY KEY,
  "flavorText" text,
  language text,
  multiverseid bigint,
  name text,
  text text,
  type text,
  uuid text REFERENCES cards (uuid)
);
INSERT INTO foreign_data
SELECT n,
       CASE WHEN n%2=0 THEN 'Texte '||n END,
       (ARRAY['German','French','Japanese','Italian'])[1 + n % 4],
       n+1000,
       'Karte '||n,
       'Text '||n,
       (ARRAY['Kreatur','Artefakt'])[1 + n % 2],
       'u'||1+n%300
  FROM generate_series(1, 250) n;
CREATE TABLE set_translations (
  id bigint PRIMARY KEY,
  language text,
  "setCode" text REFERENCES sets (code),
  translation text
);
INSERT INTO set_translations
SELECT n,
       (ARRAY['German','French','Japanese','Italian','Chinese Simplified'])[1 + n/12 % 5],
       'S'||1+n%12,
       CASE WHEN n%5<>0 THEN 'Trans '||n END
  FROM generate_series(1, 48) n;
CREATE SCHEMA student_club;
SET search_path TO student_club;
CREATE TABLE major (
  major_id text PRIMARY KEY,
  major_name text,
  department text,
  college text
);
INSERT INTO major
SELECT 'maj'||n,
       (ARRAY['Business','Physics','Law and Constitutional Studies','Environmental Engineering','Music','Biology','Dance','Theatre'])[1 + n % 8],
       (ARRAY['Economics Department','Physics Department','Art Department'])[1 + n % 3],
       (ARRAY['College of Science','College of Engineering','School of Business'])[1 + n % 3]
  FROM generate_series(1, 8) n;
CREATE TABLE zip_code (
  zip_code bigint PRIMARY KEY,
  type text,
  city text,
  county text,
  state text,
  short_state text
);
INSERT INTO zip_code
SELECT 20000+n,
       (ARRAY['Standard','PO Box'])[1 + n % 2],
       'City '||n,
       'County '||n%4,
       (ARRAY['Virginia','Texas','Illinois'])[1 + n % 3],
       (ARRAY['VA','TX','IL'])[1 + n % 3]
  FROM generate_series(1, 20) n;
CREATE TABLE member (
  member_id text PRIMARY KEY,
  first_name text,
  last_name text,
  email text,
  position text,
  t_shirt_size text,
  phone text,
  zip bigint REFERENCES zip_code,
  link_to_major text REFERENCES major
);
INSERT INTO member
SELECT 'rec'||n,
       (ARRAY['Angela','Grant','Maya','Sacha'])[1 + n % 4],
       'Name'||n,
       'm'||n||'@lpu.edu',
       (ARRAY['Member','President','Treasurer','Secretary'])[1 + n % 4],
       (ARRAY['Medium','Large','X-Large'])[1 + n % 3],
       '555-'||n,
       20001+n%20,
       'maj'||1+n%8
  FROM generate_series(1, 33) n;
CREATE TABLE event (
  event_id text PRIMARY KEY,
  event_name text,
  event_date text,
  type text,
  notes text,
  location text,
  status text
);
INSERT INTO event
SELECT 'ev'||n,
       'Event '||n,
       '2019-'||lpad((1+n%12)::text,2,'0')||'-'||lpad((1+n%28)::text,2,'0')||'T18:00:00',
       (ARRAY['Meeting','Social','Game','Election'])[1 + n % 4],
       CASE WHEN n%2=0 THEN 'All welcome' END,
       (ARRAY['MU 215','900 E. Washington St.'])[1 + n % 2],
       (ARRAY['Open','Closed','Planning'])[1 + n % 3]
  FROM generate_series(1, 25) n;
CREATE TABLE attendance (
  link_to_event text NOT NULL REFERENCES event,
  link_to_member text NOT NULL REFERENCES member,
  PRIMARY KEY (link_to_event, link_to_member)
);
INSERT INTO attendance
SELECT 'ev'||1+n%25,
       'rec'||1+n%33
  FROM generate_series(1, 150) n;
CREATE TABLE budget (
  budget_id text PRIMARY KEY,
  category text,
  spent double precision,
  remaining double precision,
  amount bigint,
  event_status text,
  link_to_event text REFERENCES event
);
INSERT INTO budget
SELECT 'b'||n,
       (ARRAY['Food','Advertisement','Speaker Gifts','Parking'])[1 + n % 4],
       n*3.27,
       n*1.5-4,
       20+n*5,
       (ARRAY['Open','Closed'])[1 + n % 2],
       'ev'||1+n%25
  FROM generate_series(1, 50) n;
CREATE TABLE expense (
  expense_id text PRIMARY KEY,
  expense_description text,
  expense_date text,
  cost double precision,
  approved text,
  link_to_member text REFERENCES member,
  link_to_budget text REFERENCES budget
);
INSERT INTO expense
SELECT 'x'||n,
       (ARRAY['Pizza','Posters','Water, chips, cookies','Parking'])[1 + n % 4],
       '2019-'||lpad((1+n%12)::text,2,'0')||'-'||lpad((1+n%28)::text,2,'0'),
       10+n*2.35,
       (ARRAY['true','false'])[1 + n % 2],
       'rec'||1+n%33,
       'b'||1+n%50
  FROM generate_series(1, 70) n;
CREATE TABLE income (
  income_id text PRIMARY KEY,
  date_received text,
  amount bigint,
  source text,
  notes text,
  link_to_member text REFERENCES member
);
INSERT INTO income
SELECT 'i'||n,
       '2019-09-'||lpad((1+n%28)::text,2,'0'),
       50+n,
       (ARRAY['Dues','Sponsorship','Fundraising'])[1 + n % 3],
       CASE WHEN n%3=0 THEN 'ok' END,
       'rec'||1+n%33
  FROM generate_series(1, 30) n;
CREATE SCHEMA thrombosis_prediction;
SET search_path TO thrombosis_prediction;
CREATE TABLE patient (
  "ID" bigint PRIMARY KEY,
  "SEX" text,
  "Birthday" date,
  "Description" date,
  "First Date" date,
  "Admission" text,
  "Diagnosis" text
);
INSERT INTO patient
SELECT n*101,
       (ARRAY['F','M','F'])[1 + n % 3],
       date '1930-02-13'+n*331,
       date '1994-02-14'+n,
       date '1986-01-02'+n*61,
       (ARRAY['+','-'])[1 + n % 2],
       (ARRAY['SLE','RA','Behcet','SJS, CREST','APS'])[1 + n % 5]
  FROM generate_series(1, 60) n;
CREATE TABLE examination (
  "ID" bigint REFERENCES patient,
  "Examination Date" date,
  "aCL IgG" double precision,
  "aCL IgM" double precision,
  "ANA" bigint,
  "ANA Pattern" text,
  "aCL IgA" bigint,
  "Diagnosis" text,
  "KCT" text,
  "Symptoms" text,
  "Thrombosis" bigint
);
INSERT INTO examination
SELECT (1+n%60)*101,
       date '1992-05-01'+n*23,
       n*0.3,
       n*0.21,
       n%5*16,
       (ARRAY['S','P','D'])[1 + n % 3],
       n%7,
       (ARRAY['SLE','PSS','APS'])[1 + n % 3],
       (ARRAY['+','-'])[1 + n % 2],
       CASE WHEN n%4=0 THEN 'thrombocytopenia' END,
       n%4
  FROM generate_series(1, 80) n;
CREATE TABLE laboratory (
  "ID" bigint NOT NULL REFERENCES patient,
  "Date" date NOT NULL,
  "GOT" bigint,
  "GPT" bigint,
  "LDH" bigint,
  "ALP" bigint,
  "TP" double precision,
  "ALB" double precision,
  "UA" double precision,
  "CRE" double precision,
  "T-BIL" double precision,
  "T-CHO" bigint,
  "TG" bigint,
  "GLU" bigint,
  "WBC" double precision,
  "PLT" bigint,
  "IGG" bigint,
  "CRP" text,
  "U-PRO" text,
  PRIMARY KEY ("ID", "Date")
);
INSERT INTO laboratory
SELECT (1+n%60)*101,
       date '1985-01-03'+n*11,
       10+n%90,
       8+n*3%90,
       100+n*7%600,
       50+n%300,
       5+n%40*0.1,
       2.5+n%30*0.1,
       3+n%60*0.1,
       0.5+n%20*0.1,
       n%30*0.1,
       120+n*3%200,
       60+n*7%240,
       70+n%120,
       3+n%80*0.1,
       80+n*3%300,
       700+n*7%1500,
       (ARRAY['-','<0.3','+','1.2'])[1 + n % 4],
       (ARRAY['0','30','TR','100'])[1 + n % 4]
  FROM generate_series(1, 400) n;
CREATE SCHEMA european_football_2;
SET search_path TO european_football_2;
CREATE TABLE "Country" (
  id bigint PRIMARY KEY,
  name text
);
INSERT INTO "Country"
SELECT n,
       (ARRAY['Belgium','England','France','Germany','Italy','Scotland'])[1 + n % 6]
  FROM generate_series(1, 6) n;
CREATE TABLE "League" (
  id bigint PRIMARY KEY,
  country_id bigint REFERENCES "Country",
  name text
);
INSERT INTO "League"
SELECT n,
       n,
       (ARRAY['Jupiler League','Premier League','Ligue 1','Bundesliga','Serie A','Scotland Premier League'])[1 + n % 6]
  FROM generate_series(1, 6) n;
CREATE TABLE "Team" (
  id bigint PRIMARY KEY,
  team_api_id bigint UNIQUE NOT NULL,
  team_fifa_api_id bigint,
  team_long_name text,
  team_short_name text
);
INSERT INTO "Team"
SELECT n,
       n+8000,
       n+600,
       'Club '||n,
       'C'||n
  FROM generate_series(1, 24) n;
CREATE TABLE "Team_Attributes" (
  id bigint PRIMARY KEY,
  team_api_id bigint REFERENCES "Team" (team_api_id),
  date text,
  "buildUpPlaySpeed" bigint,
  "buildUpPlaySpeedClass" text,
  "buildUpPlayDribbling" bigint,
  "buildUpPlayPassing" bigint,
  "chanceCreationPassingClass" text,
  "defencePressure" bigint
);
INSERT INTO "Team_Attributes"
SELECT n,
       8001+n%24,
       (2010+n%5)||'-02-22 00:00:00',
       30+n%50,
       (ARRAY['Slow','Balanced','Fast'])[1 + n % 3],
       CASE WHEN n%3=0 THEN 30+n%40 END,
       20+n%60,
       (ARRAY['Safe','Normal','Risky'])[1 + n % 3],
       30+n*7%40
  FROM generate_series(1, 70) n;
CREATE TABLE "Player" (
  id bigint PRIMARY KEY,
  player_api_id bigint UNIQUE NOT NULL,
  player_name text,
  player_fifa_api_id bigint,
  birthday text,
  height double precision,
  weight bigint
);
INSERT INTO "Player"
SELECT n,
       n+500000,
       (ARRAY['Aaron','Zlatan','Lionel','Alexander'])[1 + n % 4]||' P'||n,
       n+200000,
       (1975+n%20)||'-0'||(1+n%9)||'-12 00:00:00',
       165+n%30*1.27,
       140+n*3%60
  FROM generate_series(1, 60) n;
CREATE TABLE "Player_Attributes" (
  id bigint PRIMARY KEY,
  player_api_id bigint REFERENCES "Player" (player_api_id),
  player_fifa_api_id bigint,
  date text,
  overall_rating bigint,
  potential bigint,
  preferred_foot text,
  attacking_work_rate text,
  defensive_work_rate text,
  crossing bigint,
  finishing bigint,
  heading_accuracy bigint,
  sprint_speed bigint
);
INSERT INTO "Player_Attributes"
SELECT n,
       500001+n%60,
       200001+n%60,
       (2010+n%6)||'-0'||(1+n%9)||'-18 00:00:00',
       60+n*7%30,
       65+n*5%30,
       (ARRAY['left','right','right'])[1 + n % 3],
       (ARRAY['high','medium','low'])[1 + n % 3],
       (ARRAY['high','medium'])[1 + n % 2],
       40+n%50,
       30+n*3%60,
       40+n%45,
       50+n%45
  FROM generate_series(1, 240) n;
CREATE TABLE "Match" (
  id bigint PRIMARY KEY,
  country_id bigint REFERENCES "Country",
  league_id bigint REFERENCES "League",
  season text,
  stage bigint,
  date text,
  home_team_api_id bigint REFERENCES "Team" (team_api_id),
  away_team_api_id bigint REFERENCES "Team" (team_api_id),
  home_team_goal bigint,
  away_team_goal bigint
);
INSERT INTO "Match"
SELECT n,
       1+n%6,
       1+n%6,
       (2008+n%8)||'/'||(2009+n%8),
       1+n%38,
       (2008+n%8)||'-'||lpad((1+n%12)::text,2,'0')||'-17 00:00:00',
       8001+n%24,
       8001+(n*7+3)%24,
       n*7%5,
       n*3%4
  FROM generate_series(1, 300) n;
CREATE SCHEMA toxicology;
SET search_path TO toxicology;
CREATE TABLE molecule (
  molecule_id text PRIMARY KEY,
  label text
);
INSERT INTO molecule
SELECT 'TR'||lpad(n::text,3,'0'),
       (ARRAY['+','-'])[1 + n % 2]
  FROM generate_series(1, 40) n;
CREATE TABLE atom (
  atom_id text PRIMARY KEY,
  molecule_id text REFERENCES molecule,
  element text
);
INSERT INTO atom
SELECT 'TR'||lpad((1+n%40)::text,3,'0')||'_'||n,
       'TR'||lpad((1+n%40)::text,3,'0'),
       (ARRAY['c','h','o','n','cl','s'])[1 + n*7/3 % 6]
  FROM generate_series(1, 400) n;
CREATE TABLE bond (
  bond_id text PRIMARY KEY,
  molecule_id text REFERENCES molecule,
  bond_type text
);
INSERT INTO bond
SELECT 'TR'||lpad((1+n%40)::text,3,'0')||'_b'||n,
       'TR'||lpad((1+n%40)::text,3,'0'),
       (ARRAY['-','=','#'])[1 + n/3 % 3]
  FROM generate_series(1, 300) n;
CREATE TABLE connected (
  atom_id text NOT NULL REFERENCES atom,
  atom_id2 text NOT NULL REFERENCES atom,
  bond_id text REFERENCES bond,
  PRIMARY KEY (atom_id, atom_id2)
);
INSERT INTO connected
SELECT 'TR'||lpad((1+n%40)::text,3,'0')||'_'||n,
       'TR'||lpad((1+n%40)::text,3,'0')||'_'||n+40,
       'TR'||lpad((1+n%40)::text,3,'0')||'_b'||n
  FROM generate_series(1, 300) n;
CREATE SCHEMA debit_card;
SET search_path TO debit_card;
CREATE TABLE customers (
  "CustomerID" bigint PRIMARY KEY,
  "Segment" text,
  "Currency" text
);
INSERT INTO customers
SELECT n,
       (ARRAY['SME','LAM','KAM'])[1 + n % 3],
       (ARRAY['CZK','EUR'])[1 + n % 2]
  FROM generate_series(1, 60) n;
CREATE TABLE gasstations (
  "GasStationID" bigint PRIMARY KEY,
  "ChainID" bigint,
  "Country" text,
  "Segment" text
);
INSERT INTO gasstations
SELECT n,
       n%5,
       (ARRAY['CZE','SVK'])[1 + n % 2],
       (ARRAY['Value for money','Premium','Other','Discount'])[1 + n % 4]
  FROM generate_series(1, 40) n;
CREATE TABLE products (
  "ProductID" bigint PRIMARY KEY,
  "Description" text
);
INSERT INTO products
SELECT n,
       'Product '||n
  FROM generate_series(1, 9) n;
CREATE TABLE transactions_1k (
  "TransactionID" bigint PRIMARY KEY,
  "Date" date,
  "Time" text,
  "CustomerID" bigint REFERENCES customers,
  "CardID" bigint,
  "GasStationID" bigint REFERENCES gasstations,
  "ProductID" bigint REFERENCES products,
  "Amount" bigint,
  "Price" double precision
);
INSERT INTO transactions_1k
SELECT n,
       date '2012-08-23'+n%4,
       lpad((n%24)::text,2,'0')||':'||lpad((n%60)::text,2,'0')||':00',
       1+n*7%60,
       n%90,
       1+n*3%40,
       1+n%9,
       1+n%40,
       20+n*1.37
  FROM generate_series(1, 300) n;
CREATE TABLE yearmonth (
  "CustomerID" bigint NOT NULL REFERENCES customers,
  "Date" text NOT NULL,
  "Consumption" double precision,
  PRIMARY KEY ("CustomerID", "Date")
);
INSERT INTO yearmonth
SELECT 1+n%60,
       '20'||(12+n/60%2)||lpad((1+n/60)::text,2,'0'),
       n*3.19
  FROM generate_series(1, 360) n;
CREATE SCHEMA codebase_community;
SET search_path TO codebase_community;
CREATE TABLE users (
  "Id" bigint PRIMARY KEY,
  "Reputation" bigint,
  "CreationDate" timestamp,
  "DisplayName" text,
  "LastAccessDate" timestamp,
  "Location" text,
  "Views" bigint,
  "UpVotes" bigint,
  "DownVotes" bigint,
  "Age" bigint
);
INSERT INTO users
SELECT n,
       n*37%1000,
       timestamp '2010-07-19 06:00'+n*interval '9 days 7 hours',
       'User '||n,
       timestamp '2013-07-19 06:00'+n*interval '5 days 3 hours',
       (ARRAY['Vienna, Austria','New York','Germany'])[1 + n % 3],
       n*3,
       n*5%70,
       n%6,
       CASE WHEN n%4<>0 THEN 18+n END
  FROM generate_series(1, 50) n;
CREATE TABLE posts (
  "Id" bigint PRIMARY KEY,
  "PostTypeId" bigint,
  "AcceptedAnswerId" bigint,
  "CreationDate" timestamp,
  "Score" bigint,
  "ViewCount" bigint,
  "Body" text,
  "OwnerUserId" bigint REFERENCES users,
  "Title" text,
  "Tags" text,
  "AnswerCount" bigint,
  "CommentCount" bigint,
  "FavoriteCount" bigint,
  "LastEditorUserId" bigint REFERENCES users,
  "ParentId" bigint REFERENCES posts
);
INSERT INTO posts
SELECT n,
       1+n%2,
       CASE WHEN n%3=0 THEN n+1 END,
       timestamp '2011-01-01 03:00'+n*interval '3 days 5 hours',
       n*7%60,
       CASE WHEN n%5<>0 THEN n*31%3000 END,
       'Body '||n,
       1+n*3%50,
       CASE WHEN n%2=0 THEN 'Title '||n END,
       (ARRAY['<bayesian>','<r><mean>','<prior>'])[1 + n % 3],
       n%5,
       n%7,
       n%9,
       CASE WHEN n%4=0 THEN 1+n%50 END,
       CASE WHEN n%5=0 THEN n/2 END
  FROM generate_series(1, 200) n;
CREATE TABLE comments (
  "Id" bigint PRIMARY KEY,
  "PostId" bigint REFERENCES posts,
  "Score" bigint,
  "Text" text,
  "CreationDate" timestamp,
  "UserId" bigint REFERENCES users
);
INSERT INTO comments
SELECT n,
       1+n*3%200,
       n%12,
       'thank you '||n,
       timestamp '2011-02-01 03:00'+n*interval '2 days 5 hours',
       1+n*7%50
  FROM generate_series(1, 300) n;
CREATE TABLE badges (
  "Id" bigint PRIMARY KEY,
  "UserId" bigint REFERENCES users,
  "Name" text,
  "Date" timestamp
);
INSERT INTO badges
SELECT n,
       1+n%50,
       (ARRAY['Teacher','Student','Supporter','Organizer','Commentator'])[1 + n % 5],
       timestamp '2010-07-19 19:39'+n*interval '7 days 1 hour'
  FROM generate_series(1, 160) n;
CREATE TABLE votes (
  "Id" bigint PRIMARY KEY,
  "PostId" bigint REFERENCES posts,
  "VoteTypeId" bigint,
  "CreationDate" date,
  "UserId" bigint REFERENCES users,
  "BountyAmount" bigint
);
INSERT INTO votes
SELECT n,
       1+n*7%200,
       1+n%10,
       date '2010-07-19'+n*5,
       CASE WHEN n%3=0 THEN 1+n%50 END,
       CASE WHEN n%8=0 THEN 50 END
  FROM generate_series(1, 260) n;
CREATE TABLE tags (
  "Id" bigint PRIMARY KEY,
  "TagName" text,
  "Count" bigint,
  "ExcerptPostId" bigint REFERENCES posts
);
INSERT INTO tags
SELECT n,
       'tag-'||n,
       n*71%1000,
       CASE WHEN n%2=0 THEN n*3 END
  FROM generate_series(1, 30) n;
CREATE SCHEMA concert_singer;
SET search_path TO concert_singer;
CREATE TABLE stadium (
  stadium_id bigint PRIMARY KEY,
  location text,
  name text,
  capacity bigint,
  highest bigint,
  lowest bigint,
  average bigint
);
INSERT INTO stadium
SELECT n,
       'Town '||n%7,
       'Park '||n,
       2000+n*777,
       1000+n*70,
       300+n*3,
       500+n*20
  FROM generate_series(1, 10) n;
CREATE TABLE singer (
  singer_id bigint PRIMARY KEY,
  name text,
  country text,
  song_name text,
  song_release_year text,
  age bigint,
  is_male text
);
INSERT INTO singer
SELECT n,
       'Singer '||n,
       (ARRAY['France','Netherlands','United States'])[1 + n % 3],
       'Song '||n,
       (1990+n*2)::text,
       20+n*3,
       (ARRAY['T','F'])[1 + n % 2]
  FROM generate_series(1, 12) n;
CREATE TABLE concert (
  concert_id bigint PRIMARY KEY,
  concert_name text,
  theme text,
  stadium_id bigint NOT NULL REFERENCES stadium,
  year text
);
INSERT INTO concert
SELECT n,
       'Concert '||n%9,
       (ARRAY['Free choice','Bleeding Love','Wide Awake'])[1 + n % 3],
       1+n%8,
       (2014+n%3)::text
  FROM generate_series(1, 24) n;
CREATE TABLE singer_in_concert (
  concert_id bigint NOT NULL REFERENCES concert,
  singer_id bigint NOT NULL REFERENCES singer,
  PRIMARY KEY (concert_id, singer_id)
);
INSERT INTO singer_in_concert
SELECT 1+n%24,
       1+(n*5+n/24)%12
  FROM generate_series(1, 40) n;
CREATE SCHEMA world_1;
SET search_path TO world_1;
CREATE TABLE country (
  "Code" text PRIMARY KEY,
  "Name" text,
  "Continent" text,
  "Region" text,
  "SurfaceArea" double precision,
  "IndepYear" bigint,
  "Population" bigint,
  "LifeExpectancy" double precision,
  "GNP" double precision,
  "LocalName" text,
  "GovernmentForm" text,
  "HeadOfState" text,
  "Capital" bigint
);
INSERT INTO country
SELECT 'C'||lpad(n::text,2,'0'),
       'Land '||n,
       (ARRAY['Asia','Europe','Africa','North America'])[1 + n % 4],
       (ARRAY['Caribbean','Middle East','Western Europe'])[1 + n % 3],
       1000.5*n,
       CASE WHEN n%4<>0 THEN 1800+n*9 END,
       100000*n,
       50+n*1.3,
       n*1000.25,
       'Lokal '||n,
       (ARRAY['Republic','Monarchy','Federation'])[1 + n % 3],
       (ARRAY['Beatrix','Elisabeth II','George'])[1 + n % 3],
       n*3
  FROM generate_series(1, 20) n;
CREATE TABLE city (
  "ID" bigint PRIMARY KEY,
  "Name" text,
  "CountryCode" text NOT NULL REFERENCES country,
  "District" text,
  "Population" bigint
);
INSERT INTO city
SELECT n,
       'City '||n,
       'C'||lpad((1+n%20)::text,2,'0'),
       'D'||n%15,
       n*9137%500000
  FROM generate_series(1, 80) n;
CREATE TABLE countrylanguage (
  "CountryCode" text NOT NULL REFERENCES country,
  "Language" text NOT NULL,
  "IsOfficial" text,
  "Percentage" double precision,
  PRIMARY KEY ("CountryCode", "Language")
);
INSERT INTO countrylanguage
SELECT 'C'||lpad((1+n%20)::text,2,'0'),
       (ARRAY['English','Dutch','French','Spanish'])[1 + n/20 % 4],
       (ARRAY['T','F','F'])[1 + n % 3],
       n*1.53
  FROM generate_series(1, 60) n;
CREATE SCHEMA flight_2;
SET search_path TO flight_2;
CREATE TABLE airlines (
  uid bigint PRIMARY KEY,
  airline text,
  abbreviation text,
  country text
);
INSERT INTO airlines
SELECT n,
       (ARRAY['JetBlue Airways','United Airlines','US Airways','Delta Airlines'])[1 + n % 4],
       'AB'||n,
       'USA'
  FROM generate_series(1, 12) n;
CREATE TABLE airports (
  city text,
  airportcode text PRIMARY KEY,
  airportname text,
  country text,
  countryabbrev text
);
INSERT INTO airports
SELECT 'City '||n%13,
       'A'||lpad(n::text,2,'0'),
       'Airport '||n,
       'United States',
       'US'
  FROM generate_series(1, 20) n;
CREATE TABLE flights (
  airline bigint NOT NULL REFERENCES airlines,
  flightno bigint,
  sourceairport text REFERENCES airports,
  destairport text REFERENCES airports,
  PRIMARY KEY (airline, flightno)
);
INSERT INTO flights
SELECT 1+n%12,
       n,
       'A'||lpad((1+n%20)::text,2,'0'),
       'A'||lpad((1+n*7%20)::text,2,'0')
  FROM generate_series(1, 200) n;
CREATE SCHEMA pets_1;
SET search_path TO pets_1;
CREATE TABLE student (
  stuid bigint PRIMARY KEY,
  lname text,
  fname text,
  age bigint,
  sex text,
  major bigint,
  advisor bigint,
  city_code text
);
INSERT INTO student
SELECT 1000+n,
       'Last'||n,
       'First'||n,
       17+n%9,
       (ARRAY['M','F'])[1 + n % 2],
       600-n%5,
       n%7,
       (ARRAY['BAL','HKG','NYC'])[1 + n % 3]
  FROM generate_series(1, 30) n;
CREATE TABLE pets (
  petid bigint PRIMARY KEY,
  pettype text,
  pet_age bigint,
  weight double precision
);
INSERT INTO pets
SELECT 2000+n,
       (ARRAY['cat','dog','dog'])[1 + n % 3],
       n%5,
       n*1.7
  FROM generate_series(1, 25) n;
CREATE TABLE has_pet (
  stuid bigint REFERENCES student,
  petid bigint REFERENCES pets
);
INSERT INTO has_pet
SELECT 1001+n*3%30,
       2000+n
  FROM generate_series(1, 22) n;
CREATE SCHEMA car_1;
SET search_path TO car_1;
CREATE TABLE continents (
  contid bigint PRIMARY KEY,
  continent text
);
INSERT INTO continents
SELECT n,
       (ARRAY['america','europe','asia','africa','australia'])[1 + n % 5]
  FROM generate_series(1, 5) n;
CREATE TABLE countries (
  countryid bigint PRIMARY KEY,
  countryname text,
  continent bigint REFERENCES continents
);
INSERT INTO countries
SELECT n,
       (ARRAY['usa','germany','france','japan','italy','sweden','uk','korea','russia','nigeria'])[1 + n % 10],
       1+n%5
  FROM generate_series(1, 10) n;
CREATE TABLE car_makers (
  id bigint PRIMARY KEY,
  maker text,
  fullname text,
  country bigint REFERENCES countries
);
INSERT INTO car_makers
SELECT n,
       'maker'||n,
       'Maker '||n||' Co',
       1+n%8
  FROM generate_series(1, 15) n;
CREATE TABLE model_list (
  modelid bigint PRIMARY KEY,
  maker bigint REFERENCES car_makers,
  model text UNIQUE NOT NULL
);
INSERT INTO model_list
SELECT n,
       1+n%15,
       'model'||n
  FROM generate_series(1, 25) n;
CREATE TABLE car_names (
  makeid bigint PRIMARY KEY,
  model text REFERENCES model_list (model),
  make text
);
INSERT INTO car_names
SELECT n,
       'model'||1+n%25,
       'make '||n
  FROM generate_series(1, 100) n;
CREATE TABLE cars_data (
  id bigint PRIMARY KEY REFERENCES car_names,
  mpg text,
  cylinders bigint,
  edispl double precision,
  horsepower text,
  weight bigint,
  accelerate double precision,
  year bigint
);
INSERT INTO cars_data
SELECT n,
       CASE WHEN n%17=0 THEN NULL ELSE (10+n%30)::text END,
       4+n%3*2,
       90+n*3.3,
       (50+n*3%150)::text,
       1800+n*31%2500,
       8+n%15*0.7,
       1970+n%13
  FROM generate_series(1, 100) n;
CREATE SCHEMA dog_kennels;
SET search_path TO dog_kennels;
CREATE TABLE breeds (
  breed_code text PRIMARY KEY,
  breed_name text
);
INSERT INTO breeds
SELECT (ARRAY['ESK','HUS','BUL'])[1 + n % 3],
       (ARRAY['Eskimo','Husky','Bulldog'])[1 + n % 3]
  FROM generate_series(1, 3) n;
CREATE TABLE sizes (
  size_code text PRIMARY KEY,
  size_description text
);
INSERT INTO sizes
SELECT (ARRAY['LGE','MED','SML'])[1 + n % 3],
       (ARRAY['Large','Medium','Small'])[1 + n % 3]
  FROM generate_series(1, 3) n;
CREATE TABLE treatment_types (
  treatment_type_code text PRIMARY KEY,
  treatment_type_description text
);
INSERT INTO treatment_types
SELECT (ARRAY['EXAM','VAC','WALK'])[1 + n % 3],
       (ARRAY['Physical examination','Vaccination','Take for a Walk'])[1 + n % 3]
  FROM generate_series(1, 3) n;
CREATE TABLE owners (
  owner_id bigint PRIMARY KEY,
  first_name text,
  last_name text,
  street text,
  city text,
  state text,
  zip_code text,
  email_address text,
  home_phone text,
  cell_number text
);
INSERT INTO owners
SELECT n,
       'Own'||n,
       'Er'||n%9,
       n||' Road',
       'City '||n%5,
       (ARRAY['Virginia','North Carolina','Wisconsin'])[1 + n % 3],
       (10000+n)::text,
       'o'||n||'@x.com',
       '1-'||n,
       '2-'||n
  FROM generate_series(1, 14) n;
CREATE TABLE professionals (
  professional_id bigint PRIMARY KEY,
  role_code text,
  first_name text,
  street text,
  city text,
  state text,
  zip_code text,
  last_name text,
  email_address text,
  home_phone text,
  cell_number text
);
INSERT INTO professionals
SELECT n,
       (ARRAY['Employee','Veterenarian'])[1 + n % 2],
       'Pro'||n,
       n||' Street',
       'City '||n%4,
       (ARRAY['Indiana','Virginia','Hawaii'])[1 + n % 3],
       (20000+n)::text,
       'Fes'||n,
       'p'||n||'@x.com',
       '3-'||n,
       '4-'||n
  FROM generate_series(1, 12) n;
CREATE TABLE dogs (
  dog_id bigint PRIMARY KEY,
  owner_id bigint NOT NULL REFERENCES owners,
  abandoned_yn text,
  breed_code text REFERENCES breeds,
  size_code text REFERENCES sizes,
  name text,
  age text,
  date_of_birth timestamp,
  gender text,
  weight text,
  date_arrived timestamp,
  date_adopted timestamp,
  date_departed timestamp
);
INSERT INTO dogs
SELECT n,
       1+n%12,
       (ARRAY['0','1','0'])[1 + n % 3],
       (ARRAY['ESK','HUS','BUL'])[1 + n % 3],
       (ARRAY['LGE','MED','SML'])[1 + n/2 % 3],
       'Dog '||n,
       (1+n%9)::text,
       timestamp '2012-01-27'+n*interval '20 days',
       (n%2)::text,
       (3+n*7%9)||'.3',
       timestamp '2017-09-08 20:10'+n*interval '5 days',
       CASE WHEN n%3=0 THEN timestamp '2018-03-06 16:32'+n*interval '1 day' END,
       timestamp '2018-03-25 06:58'+n*interval '1 day'
  FROM generate_series(1, 22) n;
CREATE TABLE treatments (
  treatment_id bigint PRIMARY KEY,
  dog_id bigint NOT NULL REFERENCES dogs,
  professional_id bigint NOT NULL REFERENCES professionals,
  treatment_type_code text REFERENCES treatment_types,
  date_of_treatment timestamp,
  cost_of_treatment double precision
);
INSERT INTO treatments
SELECT n,
       1+n*5%22,
       1+n*7%10,
       (ARRAY['EXAM','VAC','WALK'])[1 + n % 3],
       timestamp '2018-02-19 04:39'+n*interval '3 hours',
       100+n*7.13
  FROM generate_series(1, 60) n;
CREATE SCHEMA tvshow;
SET search_path TO tvshow;
CREATE TABLE tv_channel (
  id text PRIMARY KEY,
  series_name text,
  country text,
  language text,
  content text,
  pixel_aspect_ratio_par text,
  hight_definition_tv text,
  pay_per_view_ppv text,
  package_option text
);
INSERT INTO tv_channel
SELECT (700+n)::text,
       (ARRAY['Sky Radio','Sky Music','MTV Hits'])[1 + n % 3],
       (ARRAY['Italy','Poland','USA'])[1 + n % 3],
       (ARRAY['Italian','English'])[1 + n % 2],
       'Content '||n%4,
       (ARRAY['4:3','16:9'])[1 + n % 2],
       (ARRAY['yes','no'])[1 + n % 2],
       (ARRAY['no','yes'])[1 + n % 2],
       'Sky Famiglia'
  FROM generate_series(1, 15) n;
CREATE TABLE tv_series (
  id bigint PRIMARY KEY,
  episode text,
  air_date text,
  rating text,
  share bigint,
  "18_49_rating_share" text,
  viewers_m text,
  weekly_rank bigint,
  channel text REFERENCES tv_channel
);
INSERT INTO tv_series
SELECT n,
       'Episode '||n,
       'September '||n||', 2009',
       (4+n%7)||'.'||n%10,
       n%15,
       n%4||'/'||n%9,
       (5+n%8)||'.2',
       n%40,
       (701+n%15)::text
  FROM generate_series(1, 24) n;
CREATE TABLE cartoon (
  id bigint PRIMARY KEY,
  title text,
  directed_by text,
  written_by text,
  original_air_date text,
  production_code bigint,
  channel text REFERENCES tv_channel
);
INSERT INTO cartoon
SELECT n,
       'Cartoon '||n,
       (ARRAY['Ben Jones','Brandon Vietti','Michael Chang'])[1 + n % 3],
       (ARRAY['Joseph Kuhr','Todd Casey','James Krieg','Adam Beechen'])[1 + n % 4],
       'May '||n||', 2009',
       100+n,
       (701+n*4%15)::text
  FROM generate_series(1, 30) n;
CREATE SCHEMA employee_hire;
SET search_path TO employee_hire;
CREATE TABLE employee (
  employee_id bigint PRIMARY KEY,
  name text,
  age bigint,
  city text
);
INSERT INTO employee
SELECT n,
       'Emp '||n,
       22+n%20,
       (ARRAY['Bristol','Bath','Wales'])[1 + n % 3]
  FROM generate_series(1, 20) n;
CREATE TABLE shop (
  shop_id bigint PRIMARY KEY,
  name text,
  location text,
  district text,
  number_products bigint,
  manager_name text
);
INSERT INTO shop
SELECT n,
       'Shop '||n,
       'Loc '||n%4,
       'District '||n%3,
       n*1111,
       'Manager '||n
  FROM generate_series(1, 9) n;
CREATE TABLE hiring (
  shop_id bigint NOT NULL REFERENCES shop,
  employee_id bigint NOT NULL PRIMARY KEY REFERENCES employee,
  start_from text,
  is_full_time text
);
INSERT INTO hiring
SELECT 1+n%7,
       n,
       (2003+n%10)::text,
       (ARRAY['T','F'])[1 + n % 2]
  FROM generate_series(1, 18) n;
CREATE TABLE evaluation (
  employee_id bigint NOT NULL REFERENCES employee,
  year_awarded text,
  bonus double precision,
  PRIMARY KEY (employee_id, year_awarded)
);
INSERT INTO evaluation
SELECT 1+n%14,
       (2011+n/14)::text,
       1000+n*37.5
  FROM generate_series(1, 30) n;
ANALYZE;
RESET search_path;
