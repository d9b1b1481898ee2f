-- A clinic, as texts of T-SQL speak of it. Texts differ in their letters' case and in spaces at
-- their end; two tables keep the capital letters that they had in SQL Server.
CREATE TABLE departments (
    department_id integer NOT NULL PRIMARY KEY,
    name varchar(40) NOT NULL,
    floor smallint,
    budget numeric(12,2),
    parent_id integer REFERENCES departments
);
INSERT INTO departments VALUES
    (1, 'Cardiology', 2, 500000.00, NULL), (2, 'Surgery', 3, 750000.50, NULL),
    (3, 'Pediatrics', 1, 320000.00, NULL), (4, 'Neuro Surgery', 3, NULL, 2),
    (5, 'cardio lab', 2, 81000.75, 1);

CREATE TABLE doctors (
    doctor_id integer NOT NULL PRIMARY KEY,
    first_name varchar(20) NOT NULL,
    last_name varchar(30) NOT NULL,
    specialty varchar(30),
    department_id integer NOT NULL REFERENCES departments,
    hired_on date NOT NULL,
    salary numeric(12,2),
    license uuid NOT NULL,
    is_active boolean NOT NULL,
    email varchar(80)
);
INSERT INTO doctors VALUES
    (1, 'Nora', 'Haas', 'Cardiologist', 1, '2012-03-01', 150000.00, '0e984725-c51c-4bf4-9960-e1c80e27aba0', TRUE, 'nora.haas@clinic.example'),
    (2, 'Igor', 'Petrov', 'Surgeon', 2, '2015-12-31', 198000.00, '1f984725-c51c-4bf4-9960-e1c80e27aba1', TRUE, 'I.Petrov@Clinic.example'),
    (3, 'Mei', 'Lin', 'Pediatrician', 3, '2020-02-29', 121500.50, '2f984725-c51c-4bf4-9960-e1c80e27aba2', TRUE, NULL),
    (4, 'Omar', 'al-Said', 'surgeon', 2, '2018-07-16', 198000.00, '3f984725-c51c-4bf4-9960-e1c80e27aba3', FALSE, 'omar@clinic.example'),
    (5, 'Tess', 'O''Neil', NULL, 4, '2023-01-01', NULL, '4f984725-c51c-4bf4-9960-e1c80e27aba4', TRUE, 'tess@CLINIC.example'),
    (6, 'Jan', 'Haas', 'Cardiologist', 5, '2012-03-01', 99000.00, '5f984725-c51c-4bf4-9960-e1c80e27aba5', TRUE, '');

CREATE TABLE patients (
    patient_id integer NOT NULL PRIMARY KEY,
    full_name varchar(60) NOT NULL,
    birth_date date,
    sex char(1),
    city varchar(40),
    phone varchar(20),
    blood_type varchar(3),
    insured boolean NOT NULL,
    registered_at timestamp NOT NULL,
    note text
);
INSERT INTO patients VALUES
    (1, 'Adam Frost', '1980-05-17', 'M', 'Hamburg', '+49 40 1111', 'A+', TRUE, '2023-01-10 09:00:00', 'allergic: penicillin'),
    (2, 'bea Lind', '1992-02-29', 'F', 'hamburg', NULL, 'O-', FALSE, '2023-02-28 23:59:59', NULL),
    (3, 'Carl Ode', '1955-12-31', 'M', 'Malmö', '040-2222', NULL, TRUE, '2024-01-01 00:00:00', ''),
    (4, 'Dora Pym ', '2015-08-08', 'F', NULL, '555-0100', 'B+', TRUE, '2024-02-29 12:30:00', 'Minor; see guardian'),
    (5, 'Egon Ash', NULL, 'M', 'Bremen', '555-0199', 'AB-', FALSE, '2022-12-31 18:45:10', '50% co-pay'),
    (6, 'Fay_Moe', '2001-11-30', 'F', 'Bremen ', NULL, 'O-', TRUE, '2024-06-15 07:05:00', 'ALLERGIC to nuts');

CREATE TABLE visits (
    visit_id integer NOT NULL PRIMARY KEY,
    patient_id integer NOT NULL REFERENCES patients,
    doctor_id integer REFERENCES doctors,
    started_at timestamp NOT NULL,
    ended_at timestamp,
    reason varchar(100),
    status varchar(20) NOT NULL,
    fee numeric(10,2),
    severity smallint
);
INSERT INTO visits VALUES
    (1001, 1, 1, '2024-01-08 09:00:00', '2024-01-08 09:45:00', 'Chest pain', 'Completed', 120.00, 3),
    (1002, 1, 1, '2024-02-29 16:30:00', '2024-02-29 17:00:00', 'Follow-up', 'completed', 60.00, 1),
    (1003, 2, 2, '2023-12-31 22:15:00', '2024-01-01 01:15:00', 'Appendix', 'Completed', 950.50, 5),
    (1004, 3, 1, '2024-03-15 08:00:00', NULL, 'Check', 'Open', NULL, 2),
    (1005, 4, 3, '2024-03-31 12:00:00', '2024-03-31 12:20:00', 'fever', 'COMPLETED', 45.00, 2),
    (1006, 5, NULL, '2022-06-30 00:00:00', NULL, NULL, 'Cancelled', 0.00, NULL),
    (1007, 6, 2, '2024-04-01 23:59:59.5', '2024-04-02 00:30:00', 'Sprain ', 'Open', 80.25, 3),
    (1008, 2, 3, '2024-07-01 10:10:00', '2024-07-01 10:30:00', 'flu', 'Completed', 45.00, 1);

CREATE TABLE invoices (
    invoice_id integer NOT NULL PRIMARY KEY,
    visit_id integer NOT NULL REFERENCES visits,
    issued_on date NOT NULL,
    due_on date,
    paid_on date,
    currency char(3) NOT NULL
);
INSERT INTO invoices VALUES
    (501, 1001, '2024-01-09', '2024-02-08', '2024-01-20', 'EUR'),
    (502, 1003, '2024-01-02', '2024-02-01', NULL, 'EUR'),
    (503, 1005, '2024-03-31', '2024-04-30', '2024-05-02', 'SEK'),
    (504, 1007, '2024-04-02', NULL, NULL, 'EUR');

CREATE TABLE invoice_items (
    invoice_id integer NOT NULL REFERENCES invoices,
    line_no integer NOT NULL,
    code varchar(10) NOT NULL,
    description varchar(60),
    quantity integer NOT NULL,
    unit_price numeric(10,2) NOT NULL,
    vat numeric(4,2) NOT NULL,
    PRIMARY KEY (invoice_id, line_no)
);
INSERT INTO invoice_items VALUES
    (501, 1, 'CONS', 'Consultation', 1, 80.00, 0.00), (501, 2, 'ECG', 'Electrocardiogram', 1, 40.00, 0.19),
    (502, 1, 'SURG', 'Appendectomy', 1, 900.00, 0.00), (502, 2, 'bed', 'Bed, per night', 1, 50.50, 0.07),
    (503, 1, 'CONS', 'Consultation', 1, 45.00, 0.00),
    (504, 1, 'XRAY', NULL, 3, 20.00, 0.19), (504, 2, 'band-01', 'Bandage', 9, 2.25, 0.19);

CREATE TABLE lab_results (
    result_id integer NOT NULL PRIMARY KEY,
    visit_id integer NOT NULL REFERENCES visits,
    test_code varchar(10) NOT NULL,
    raw_value varchar(20),
    unit varchar(10),
    measured_at timestamp,
    tags varchar(60),
    payload text
);
INSERT INTO lab_results VALUES
    (1, 1001, 'HB', '13.9', 'g/dL', '2024-01-08 10:00:00', 'blood,routine', '{"device":{"id":7,"name":"X9"},"flags":["ok"]}'),
    (2, 1001, 'GLU', ' 92 ', 'mg/dL', '2024-01-08 10:05:00', 'blood', '{"device":{"id":8,"name":"Lab One"},"flags":[]}'),
    (3, 1003, 'wbc', '15,2', '10^9/L', '2023-12-31 23:10:00', 'blood,urgent,', NULL),
    (4, 1003, 'CRP', '<5', 'mg/L', NULL, NULL, '{"device":null}'),
    (5, 1005, 'GLU', NULL, 'mg/dL', '2024-03-31 12:10:00', '', '{"device":{"id":7,"name":"X9"},"flags":["hot","redo"]}'),
    (6, 1007, 'HB', '-1', 'g/dL', '2024-04-02 00:10:00', 'Blood', '{}');

CREATE TABLE shifts (
    doctor_id integer NOT NULL REFERENCES doctors,
    worked_on date NOT NULL,
    kind varchar(10) NOT NULL,
    hours numeric(4,1) NOT NULL,
    PRIMARY KEY (doctor_id, worked_on)
);
INSERT INTO shifts VALUES
    (1, '2024-01-06', 'day', 8.0), (1, '2024-01-07', 'Night', 10.5), (1, '2024-01-08', 'day', 7.5),
    (2, '2023-12-31', 'night', 12.0), (2, '2024-01-01', 'day', 4.0), (3, '2024-01-01', 'DAY', 8.0);

CREATE TABLE ward_counts (
    department_id integer NOT NULL REFERENCES departments,
    year integer NOT NULL,
    jan integer, feb integer, mar integer
);
INSERT INTO ward_counts VALUES (1, 2024, 12, NULL, 9), (2, 2024, 5, 7, 0);

CREATE TABLE "Rooms" (
    "RoomID" integer NOT NULL PRIMARY KEY,
    "RoomName" varchar(30) NOT NULL,
    "Beds" integer NOT NULL,
    "IsOpen" boolean NOT NULL,
    "DepartmentID" integer REFERENCES departments
);
INSERT INTO "Rooms" VALUES (1, 'Blue', 4, TRUE, 1), (2, 'red', 3, FALSE, 2), (3, 'Red West', 5, TRUE, 2), (4, 'Attic', 1, TRUE, NULL);

CREATE TABLE "RoomBookings" (
    "BookingID" integer NOT NULL PRIMARY KEY,
    "RoomID" integer NOT NULL REFERENCES "Rooms",
    "BookedAt" timestamp NOT NULL,
    "Hours" integer NOT NULL,
    "Guest Name" varchar(40)
);
INSERT INTO "RoomBookings" VALUES
    (1, 1, '2024-01-31 08:00:00', 3, 'Ida'), (2, 1, '2024-02-01 09:30:00', 4, NULL),
    (3, 3, '2024-02-01 23:00:00', 2, 'ida'), (4, 4, '2024-12-31 12:00:00', 7, 'Per ');
