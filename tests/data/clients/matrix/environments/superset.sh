# Apache Superset with what it stands on, each pinned: it does not go with the newest of its libraries,
# and does not say that it needs cachetools and rich. Two of them come as sources alone.
venv --no-binary odfpy,wtforms-json \
  'alembic==1.19.2' 'amqp==5.4.2' 'annotated-types==0.8.0' 'apache-superset-core==0.1.0' \
  'apache_superset==6.1.0' 'apispec==6.10.1' 'apsw==3.54.1.0' 'attrs==26.1.0' 'babel==2.18.0' \
  'backoff==2.2.1' 'backports.zstd==1.8.0' 'bcrypt==5.0.0' 'billiard==4.3.2' 'blinker==1.9.0' \
  'Bottleneck==1.6.0' 'brotli==1.2.1' 'cachelib==0.13.0' 'cachetools==8.0.1' 'cattrs==26.2.1' \
  'celery==5.7.0' 'certifi==2026.10.18' 'cffi==2.1.1' 'charset-normalizer==3.5.2' 'click==8.5.1' \
  'click-didyoumean==0.3.1' 'click-option-group==0.5.9' 'click-plugins==1.1.1.2' \
  'click-repl==0.4.1' 'colorama==0.4.6' 'cron_descriptor==2.2.1' 'croniter==7.0.0' \
  'cryptography==46.0.7' 'defusedxml==0.7.1' 'Deprecated==1.3.1' 'deprecation==2.1.0' \
  'dnspython==2.9.2' 'email-validator==2.4.0' 'et_xmlfile==2.0.0' 'Flask==3.1.3' \
  'flask-appbuilder==5.3.0' 'flask-babel==4.0.0' 'Flask-Caching==2.3.1' 'Flask-Compress==1.25' \
  'flask-cors==6.0.5' 'Flask-JWT-Extended==4.7.4' 'Flask-Limiter==4.1.1' 'Flask-Login==0.6.3' \
  'Flask-Migrate==3.1.0' 'Flask-Session==0.8.0' 'Flask-SQLAlchemy==3.0.5' 'flask-talisman==1.1.0' \
  'Flask-WTF==1.3.0' 'geographiclib==2.1' 'geopy==2.5.0' 'google-auth==2.62.2' 'greenlet==3.1.1' \
  'gunicorn==27.0.1' 'h11==0.16.0' 'hashids==1.3.1' 'holidays==0.109' 'humanize==4.17.0' \
  'idna==3.20' 'invoke==3.0.3' 'isodate==0.7.2' 'itsdangerous==2.2.0' 'Jinja2==3.1.6' \
  'jsonpath-ng==1.16.0' 'jsonschema==4.26.0' 'jsonschema-specifications==2025.9.1' 'kombu==5.7.0' \
  'limits==5.8.0' 'Mako==1.4.3' 'Markdown==3.11.3' 'markdown-it-py==4.3.0' 'MarkupSafe==3.0.4' \
  'marshmallow==3.26.2' 'marshmallow-sqlalchemy==1.5.0' 'marshmallow-union==0.1.15.post1' \
  'mdurl==0.1.2' 'msgpack==1.0.8' 'msgspec==0.22.0' 'nh3==0.2.22' 'numpy==1.26.4' 'odfpy==1.4.1' \
  'openpyxl==3.1.5' 'ordered-set==4.1.0' 'outcome==1.3.0.post0' 'packaging==26.3' 'pandas==2.1.4' \
  'paramiko==5.1.0' 'parsedatetime==2.6' 'pgsanity==0.3.0' 'pillow==12.3.0' \
  'platformdirs==4.14.7' 'polyline==2.0.4' 'prison==0.2.1' 'prompt_toolkit==3.0.53' \
  'psycopg2-binary==2.9.13' 'pyarrow==18.1.0' 'pyasn1==0.6.5' 'pyasn1_modules==0.4.2' \
  'pycparser==3.12' 'pydantic==2.14.3' 'pydantic_core==2.50.4' 'pygeohash==3.5.1' \
  'Pygments==2.21.0' 'PyJWT==2.15.1' 'PyNaCl==1.6.2' 'pyOpenSSL==26.2.0' 'pyparsing==3.3.3' \
  'PySocks==1.7.1' 'python-dateutil==2.9.0.post0' 'python-dotenv==1.2.4' 'pytz==2026.6' \
  'pyxlsb==1.0.10' 'PyYAML==6.0.3' 'redis==5.3.1' 'referencing==0.37.0' 'requests==2.34.2' \
  'requests-cache==1.3.3' 'rich==15.0.0' 'rpds-py==2026.9.1' 'selenium==4.51.0' \
  'shillelagh==1.4.5' 'simplejson==4.3.0' 'six==1.17.0' 'slack_sdk==3.47.0' 'sniffio==1.3.1' \
  'sortedcontainers==2.4.0' 'SQLAlchemy==1.4.54' 'SQLAlchemy-Utils==0.42.1' 'sqlglot==28.10.1' \
  'sshtunnel==0.4.0' 'tabulate==0.10.0' 'trio==0.35.0' 'trio-websocket==0.12.2' \
  'typing-inspection==0.4.5' 'typing_extensions==4.16.0' 'tzdata==2026.6' 'tzlocal==5.4.5' \
  'url-normalize==3.1.0' 'urllib3==2.8.0' 'vine==5.1.0' 'watchdog==7.1.0' 'wcwidth==0.9.4' \
  'websocket-client==1.9.2' 'Werkzeug==3.1.9' 'wrapt==2.5.2' 'wsproto==1.3.2' 'WTForms==3.3.2' \
  'WTForms-JSON==0.3.5' 'xlrd==2.0.2' 'XlsxWriter==3.0.9'

# Its own metadata, with a user: `programs/superset_.py` copies them for each run.
mkdir metadata
cat >metadata/superset_config.py <<SETTINGS
SECRET_KEY = "x" * 42
SQLALCHEMY_DATABASE_URI = "sqlite:///$PLACE/metadata/superset.db"
SETTINGS
export SUPERSET_CONFIG_PATH=$PLACE/metadata/superset_config.py
bin/superset db upgrade
bin/superset fab create-admin --username admin --firstname A --lastname B --email a@example.com --password admin
bin/superset init
