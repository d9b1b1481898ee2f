"""Django: its ORM over unmanaged models, introspection, iterators, server-side cursors, transactions, commands."""

import datetime
import io
import json
import os
import sys

import django
from django.conf import settings

DATABASE = {
    "ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"], "USER": os.environ["PGUSER"],
    "PASSWORD": os.environ["PGPASSWORD"], "HOST": os.environ["PGHOST"], "PORT": os.environ["PGPORT"],
}
settings.configure(
    DATABASES={
        "default": DATABASE,
        "shop": DATABASE | {"OPTIONS": {"options": "-c search_path=shop,public"}},
        "prepared": DATABASE | {"OPTIONS": {"server_side_binding": True}},
        "pooled": DATABASE | {"OPTIONS": {"pool": {"min_size": 1, "max_size": 2}}},
        "serializable": DATABASE | {"OPTIONS": {"isolation_level": 4}},
        "without cursors": DATABASE | {"DISABLE_SERVER_SIDE_CURSORS": True},
    },
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.postgres", "__main__.Matrix"],
    USE_TZ=True, DEFAULT_AUTO_FIELD="django.db.models.AutoField", TIME_ZONE="Asia/Tokyo",
)
from django.apps import AppConfig, apps  # noqa: E402


class Matrix(AppConfig):
    name, label, path = "__main__", "matrix", os.getcwd()


django.setup()
apps.get_app_config("matrix").models_module = sys.modules["__main__"]

from django.contrib.postgres.aggregates import ArrayAgg, JSONBAgg, StringAgg  # noqa: E402
from django.contrib.postgres.fields import ArrayField, DateRangeField  # noqa: E402
from django.contrib.postgres.search import SearchVector, TrigramSimilarity  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connections, models, transaction  # noqa: E402
from django.db.models import Avg, Count, Exists, F, OuterRef, Prefetch, Q, Subquery, Sum, Window  # noqa: E402
from django.db.models.functions import Coalesce, ExtractYear, Lower, Now, Rank, RowNumber, TruncMonth  # noqa: E402

from steps import ERRORS, WRITES, Steps  # noqa: E402


class Item(models.Model):
    name = models.TextField()
    price = models.DecimalField(max_digits=10, decimal_places=2, null=True)
    made = models.DateTimeField(null=True)
    tags = ArrayField(models.TextField(), null=True)
    state = models.TextField(null=True)

    class Meta:
        managed, db_table, app_label = False, "item", "matrix"


class Customer(models.Model):
    name = models.TextField()
    email = models.TextField()
    notes = models.JSONField()
    tags = ArrayField(models.TextField())
    active = models.BooleanField()
    ref = models.UUIDField()
    seen_from = models.GenericIPAddressField()
    born = models.DateField()
    made = models.DateTimeField()

    class Meta:
        managed, db_table, app_label = False, '"shop"."customer"', "matrix"


class Reading(models.Model):
    id = models.IntegerField(primary_key=True)
    sensor = models.IntegerField()
    value = models.FloatField(null=True)
    taken = models.DateTimeField()
    note = models.TextField()

    class Meta:
        managed, db_table, app_label = False, '"shop"."reading"', "matrix"


class Employee(models.Model):
    boss = models.ForeignKey("self", models.DO_NOTHING, db_column="boss", null=True, related_name="reports")
    name = models.TextField()

    class Meta:
        managed, db_table, app_label = False, '"shop"."employee"', "matrix"


class Product(models.Model):
    sku = models.CharField(max_length=20, primary_key=True)
    title = models.TextField()
    price = models.DecimalField(max_digits=12, decimal_places=2)
    weight = models.FloatField()
    dimensions = ArrayField(models.FloatField())
    on_sale = DateRangeField()
    picture = models.BinaryField()

    class Meta:
        managed, db_table, app_label = False, '"shop"."product"', "matrix"


def recover():
    for connection in connections.all():
        connection.close()


step = Steps("Django", django.get_version(), recover)


@step
def on_connect():
    connection = connections["default"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('TimeZone'), current_setting('transaction_isolation')")
        return [cursor.fetchall(), connection.pg_version // 10000, connection.is_usable()]


@step
def rows():
    return list(Item.objects.filter(id__lt=12).order_by("id").values_list())


@step
def filters():
    found = Item.objects.filter(Q(name__icontains="ITEM 1") | Q(price__gte=1200), ~Q(state="sad"), made__year=2020).exclude(tags__contains=["t1"])
    return [found.count(), found.exists(), list(found.order_by("-id").values("id", "name")[2:6]), str(found.query)]


@step
def fields_of_postgres():
    return [list(Customer.objects.filter(notes__deep__a=True, tags__overlap=["ü0"]).order_by("id").values_list("id", "notes", "tags", "ref", "seen_from")[:3]),
            list(Product.objects.filter(on_sale__contains=datetime.date(2024, 1, 15)).order_by("sku").values_list("sku", "on_sale", "picture", "dimensions")[:3]),
            Customer.objects.filter(notes__has_key="n", notes__list__0=7).values_list("id", flat=True)[0],
            Customer.objects.filter(born__range=("1950-01-01", "1951-01-01")).count()]


@step
def aggregates():
    return [Item.objects.aggregate(Count("id"), Sum("price"), Avg("price"), top=models.Max("made")),
            list(Item.objects.values("state").annotate(n=Count("id"), names=StringAgg("name", ",", ordering="id", filter=Q(id__lt=9)),
                                                       ids=ArrayAgg("id", filter=Q(id__lt=9), ordering="id"),
                                                       prices=JSONBAgg("price", filter=Q(id__lt=4), ordering="id")).order_by("state")),
            list(Item.objects.annotate(month=TruncMonth("made")).values("month").annotate(n=Count("id")).order_by("month"))]


@step
def windows_and_subqueries():
    newest = Reading.objects.filter(sensor=OuterRef("id")).order_by("-taken").values("value")[:1]
    return [list(Item.objects.annotate(place=Window(Rank(), partition_by="state", order_by=F("price").desc(nulls_last=True)),
                                       number=Window(RowNumber(), order_by="id")).order_by("id").values_list("id", "place", "number")[:9]),
            list(Item.objects.filter(id__lt=5).annotate(newest=Subquery(newest)).order_by("id").values_list("id", "newest")),
            Item.objects.filter(Exists(Reading.objects.filter(sensor=OuterRef("id")))).count(),
            list(Item.objects.filter(id__lt=3).union(Item.objects.filter(id__gt=998)).order_by("id").values_list("id", flat=True)),
            Item.objects.annotate(low=Lower("name"), year=ExtractYear("made"), some=Coalesce("price", 0, output_field=models.DecimalField()))
            .filter(low="item 10", made__lt=Now()).values_list("year", "some")[0]]


@step
def relations():
    with_boss = Employee.objects.select_related("boss__boss").prefetch_related(Prefetch("reports", Employee.objects.order_by("id")))
    return [[one.name, one.boss and one.boss.name, [report.name for report in one.reports.all()]] for one in with_boss.order_by("id")[:6]]


@step
def search():
    return [list(Item.objects.annotate(v=SearchVector("name")).filter(v="item", id__lt=4).order_by("id").values_list("id", flat=True)),
            list(Item.objects.annotate(close=TrigramSimilarity("name", "item 77")).filter(close__gt=0.6).order_by("-close", "id").values_list("id")[:3]),
            Item.objects.filter(name__trigram_similar="item 123").count(), Item.objects.filter(name__unaccent="item 1").count()]


@step
def raw():
    return [[one.id, one.name] for one in Item.objects.raw("SELECT id, name FROM item WHERE id < %s ORDER BY id", [4])]


@step
def in_bulk_and_lookups():
    got = Item.objects.in_bulk([1, 2, 3])
    return [[got[key].name for key in sorted(got)], Item.objects.get(pk=5).name, Item.objects.first().id, Item.objects.earliest("made").id,
            list(Item.objects.filter(id__in=range(400)).order_by("id").values_list("id", flat=True))[-1], Item.objects.dates("made", "month").count()]


@step
def iterator():
    return sum(Reading.objects.values_list("id", flat=True).iterator(chunk_size=5000))


@step
def iterator_in_a_transaction():
    with transaction.atomic():
        return sum(Reading.objects.values_list("id", flat=True).iterator(chunk_size=5000))


@step
def iterator_of_a_few():
    return [one.name for one in Item.objects.filter(id__lt=8).order_by("id").iterator(chunk_size=2)]


@step
def iterator_without_server_side_cursors():
    return sum(Reading.objects.using("without cursors").values_list("id", flat=True).iterator(chunk_size=5000))


@step
def explain():
    return Item.objects.filter(id=1).explain(costs=False)


@step
def transactions():
    got = []
    with transaction.atomic():
        got.append(Item.objects.count())
        try:
            with transaction.atomic():
                Item.objects.raw("SELECT 1/0 AS id")[0]
        except Exception as error:
            got.append(type(error).__name__)
        got.append(Item.objects.filter(id=1).exists())
        transaction.on_commit(lambda: got.append("committed"))
    with transaction.atomic(durable=True):
        got.append(Item.objects.count())
    return got


for alias in ("shop", "prepared", "pooled", "serializable"):

    def used(alias=alias):
        with connections[alias].cursor() as cursor:
            cursor.execute("SELECT count(*), current_setting('search_path'), current_setting('transaction_isolation') FROM item WHERE id > %s", [5])
            got = cursor.fetchall()
        return [got, Item.objects.using(alias).filter(id__lt=4).count(), sum(Reading.objects.using(alias).values_list("id", flat=True)[:1000])]

    step.run(f"connection {alias}", used)


@step
def introspection():
    connection = connections["shop"]
    got = {}
    with connection.cursor() as cursor:
        found = connection.introspection
        tables = sorted(found.get_table_list(cursor))
        got["tables"] = [list(table) for table in tables]
        for table in tables:
            # What this role may not read.
            if table.name.startswith("pg_") or table.name == "secret_table":
                continue
            got[table.name] = [
                [list(map(str, column)) for column in found.get_table_description(cursor, table.name)], found.get_relations(cursor, table.name),
                found.get_sequences(cursor, table.name), found.get_primary_key_column(cursor, table.name),
                sorted((name, str(constraint)) for name, constraint in found.get_constraints(cursor, table.name).items()),
            ]
        got["models"] = [sorted(found.django_table_names()), sorted(found.table_names(cursor, include_views=True))]
    return got


def command(*arguments, **options):
    out = io.StringIO()
    call_command(*arguments, stdout=out, stderr=out, **options)
    return out.getvalue().splitlines()


step.run("inspectdb", lambda: command("inspectdb", include_views=True, include_partitions=True))
step.run("inspectdb of shop", lambda: command("inspectdb", database="shop", include_views=True, include_partitions=True))
step.run("check", lambda: command("check", databases=["default"]))
step.run("showmigrations", lambda: [len(command("showmigrations"))])
step.run("sqlflush", lambda: command("sqlflush"))


@step
def dumpdata_of_items():
    got = command("dumpdata", "matrix.Item", "matrix.Employee", "matrix.Customer", "matrix.Product")
    return [len(got[0]), json.loads(got[0])[:3], json.loads(got[0])[-3:]]


@step
def dumpdata_of_many():
    got = command("dumpdata", "matrix.Reading", format="jsonl")
    return [len(got), got[0], got[-1]]


@step
def health():
    connection = connections["default"]
    connection.close_if_unusable_or_obsolete()
    connection.close()
    return [connection.is_usable() if connection.connection else "closed", Item.objects.count()]


def run(text):
    with connections["default"].cursor() as cursor:
        cursor.execute(text)
        return cursor.fetchall()


for name, text in ERRORS.items():
    step.run(f"error: {name}", lambda text=text: run(text))
for name, text in WRITES.items():
    step.run(f"write: {name}", lambda text=text: run(text), write=True)
def create_model():
    with connections["default"].schema_editor() as editor:
        editor.create_model(Item)


for name, work in {
    "save": lambda: Item(id=0, name="x").save(force_insert=True),
    "bulk create": lambda: Item.objects.bulk_create([Item(id=0, name="x")], ignore_conflicts=True),
    "update": lambda: Item.objects.filter(id=1).update(name=F("name")),
    "delete": lambda: Item.objects.filter(id=1).delete(),
    "get or create": lambda: Item.objects.get_or_create(id=-1, defaults={"name": "x"}),
    "select for update": lambda: transaction.atomic()(lambda: list(Item.objects.select_for_update()[:1]))(),
    "migrate": lambda: command("migrate", verbosity=0),
    "create model": lambda: create_model(),
}.items():
    step.run(f"write: {name}", work, write=True)
step.run("usable at the end", Item.objects.count)
