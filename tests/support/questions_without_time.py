"""Questions that people put to a memory of a software project, none of which names a time.

Two lists were written before the grammar of `palimp_daemon.text.times`, with an eye to words that look like a time:
modal verbs, names of products, versions, ports, numbers of tickets, habits ("on Sundays"), durations, the present.
"""

ENGLISH = """
May I move the checkout pages off Redux already?
may we use any in tests
May the gateway reboot by itself?
When may a migration run?
Which fields may be null in the export?
the second build
Why does the second request fail?
timeout in seconds for the health check
a second opinion on the retry policy
march test
march of the penguins dataset
MARCH C- memory test on the SRAM
Which -march flag do we compile with?
march=native in the Dockerfile
march through the rows of the cursor
version 3.1.18
Do we still have to pin psycopg to 3.1.18?
port 8080 in the sun config
Which version of node 22
node 22 or node 20 in CI
last commit
What does the last column of the report mean?
last element of the list
How do I get the last page of the cursor?
last write wins
last-modified header
Who is the last reviewer in the chain?
last argument of the callback
the first run of the migration script
first run wizard
first element
first day of the week in the calendar widget
Which weekday does the week start on?
Is the week starting on Monday or Sunday in the date picker?
What is the first argument of save_memory?
next day delivery
next week's release checklist
next month view in the calendar
What is the timeout now?
Which map SDK is in the app now?
What is the Celery broker at the moment?
Where does the finance mart live at present?
Which provider is currently used?
Is the feature still behind a flag?
these days, which linter do we use
Which Python do I need today?
how much memory do the pods ask for today?
sec headers on the API
SEC filings parser
fall back to the CPU provider
Does the cache fall through to the database?
fall detection threshold
What happens if reads fall behind?
spring boot version
Spring Security config of the gateway
How do we configure Spring profiles?
summer theme colours
daylight saving time handling
winter is the name of the ORM
on Sundays the full refresh runs
Is the full refresh on Sundays still necessary?
Who is on call on weekends?
Which jobs run at night?
What runs at night or early in the morning on the scheduler?
By when do the controllers need their numbers in the morning?
Which cron job runs on Monday mornings?
On which day do we release?
On which day does the new fiscal year begin in dim_date?
How many days may a backfill cover in one go?
How long are raw files in the US bucket kept?
After how many days does an inspector have to log in again?
retention of 30 days
keep logs for 7 days
the last 20 log lines
the last 5 commits are kept
How many months of history does the report show?
a window of 14 days in the chart
expires after 3 days
token that expires in two weeks
session lifetime of one year
How long does the production test take?
How often does the background sync run?
every 5 minutes
daily at 04:30
At what time does core_daily start?
the job at 03:00
cron 0 4 * * 1
SHOP-477
FW-61
DATA-388
CVE-2024-3094
RFC 2822 dates
ISO 8601 in the API
ISO-8859-1 encoding of the import
PEP 604 unions
Q3_K_M quantisation
q4 quantized model
H1 heading style
h2 database in tests
pixel6api34
2024.3 is the IDE version
Ubuntu 24.04 image
Visual Studio 2022 toolchain
C++20 or C++17
ES2022 target
es2020 in tsconfig
Windows Server 2019 runner
Which edition of Rust, 2021 or 2018?
edition = 2024
error 2026 SSL connection
port 2026 is taken
2000 rows per batch
HTTP 404 in the sitemap
exit code 137
page size 2025
1.5.2026.1 build number
192.168.1.10
10.12.2.4 gateway address
ratio 3/4 in the layout
1/2 of the workers
mon service in kubernetes
ceph mon quorum
sat solver timeout
sun.misc.Unsafe warning
SunOS support
wed framework
thu vien
dec to hex conversion
oct() and hex() in the formatter
jan is the reviewer
April is the designer
Ask June about the layout
How do I reach June?
What does April think of the grid?
Who is May?
August is our new tester
jun jul aug abbreviations in the chart axis
date format DD.MM.YYYY in invoices
How are dates like 2026-01-31 rendered?
parse of "yesterday" in the search box
What does the button "Last week" do?
relative dates such as "2 days ago" in the UI
the `today` helper
today() macro in dbt
last_week column
month_ago parameter
yesterday_rows table
since parameter of the API
What does --since do?
until loop in the shell script
before hook in mocha
after_commit callback
before_action order
before we deploy, what must be checked?
What has to happen before a merge?
What must I do after a migration?
After the deploy, who checks the dashboards?
between staging and production
between 2 and 5 retries
from 3 to 7 replicas
half of the year's budget
year of birth column
quarter of the memory
quarter-based revenue model
three quarters of the requests
the month picker
month-end closing job
end of line characters
end of the file
the beginning of the pipeline
start of the string
at the start of every session
at the end of each sprint
in the middle of a transaction
this build fails
this week view
past tense in commit messages
the past participle rule
day one experience
zero-day fix procedure
day-ahead prices
recent files menu
most recent used cache
LRU evicts the oldest entry
Which entry is evicted, the oldest or the newest?
latest tag of the docker image
Do we use the latest driver version?
the latest driver version
latest.json manifest
newest-first sorting of comments
Is the earliest deadline first scheduler used?
Which Node version do I need now
Which search index is the live one?
An urgent iOS fix has to go to the App Store, who submits it?
What do we use for dependency injection on Android?
known keyboard problem with the basket side panel
stauts LED pin on rev C bords
how many retrys for foto upload
What did we decide about caching?
Which convention did we agree on for branch names?
Why did we choose Postgres?
What was decided about retries?
Where is the key that signs the images kept?
How large is one MCUboot slot?
Saturday is a working day in the planner?
Does Friday deploy freeze apply?
friday freeze
no deploys on Friday
May 2 threads share the handle?
May 3 retries be enough?
may 2026 rows be inserted at once
1 may fail
two may run at once
The 3 may run in parallel
""".strip().splitlines()

OTHER_LANGUAGES = """
Darf ich die Tests am Sonntag laufen lassen?
Wie lange werden Logs aufbewahrt?
Nach wie vielen Tagen läuft das Token ab?
Welche Version von Node brauche ich heute?
Welcher Broker wird zurzeit verwendet?
Was gilt jetzt für Commits?
die letzte Zeile der Datei
das letzte Element
der erste Start der App
In welchem Format stehen die Daten?
Wie oft wird der Schlüssel getauscht?
Der Job läuft jeden Montag
montags keine Deployments
Was muss vor dem Merge passieren?
nach der Migration
seit wann gibt es den Index?
Wer ist am Wochenende in Bereitschaft?
am Anfang jeder Datei
am Ende der Pipeline
Sommerzeit Umstellung
Darf der Mai-Ordner weg?
Ab welcher Batteriespannung schickt der Knoten nur noch den Heartbeat?
Wie oft wird der Schlüssel des Zahlungs-Webhooks getauscht?
Welche Tests laufen morgens?
in den Einstellungen der App
Version 3.1 oder 3.2?
Port 8080 in der Konfiguration
die Sekunde im Zeitstempel
drei Tage Frist
Au bout de combien de jours hors ligne l'application passe-t-elle en lecture seule ?
Quelle version de Node faut-il aujourd'hui ?
Quelle est la dernière ligne du fichier ?
la dernière colonne
le premier argument
avant de fusionner, que faut-il vérifier ?
après la migration
depuis la branche main
Comment mars est-il configuré ?
À quelle fréquence change le secret du webhook du transporteur ?
Le job tourne le lundi
tous les lundis
pendant la nuit
en été comme hiver, le même cron
Combien de jours garde-t-on les journaux ?
le mois dans le nom du fichier
actuellement, quel broker ?
¿Cuántos días tiene el cliente para devolver un artículo?
¿Con qué frecuencia se cargan los datos del CRM?
¿Qué versión de Node necesito hoy?
la última columna del informe
el último elemento
el primer argumento
antes de hacer merge
después del despliegue
desde la rama main
los lunes no se despliega
cada lunes
en la semana laboral
¿Cuánto dura la sesión?
por la mañana corre el job
la segunda petición falla
Segunda versión del esquema
Quarta tentativa de conexão
Qual é a segunda opção?
a sexta coluna da tabela
na segunda página do relatório
Na terça parte dos casos
Posso correr um full-refresh em produção sem perguntar?
Qual versão do Node preciso hoje?
a última linha do arquivo
o primeiro argumento
antes do merge
depois da migração
desde a branch main
Quantos dias guardamos os logs?
todas as segundas
em cada semana
Con quale frequenza vengono caricati i dati?
Quale versione di Node serve oggi?
l'ultima riga del file
il primo argomento
prima del merge
dopo la migrazione
Quanti giorni teniamo i log?
ogni lunedì
di notte
in settimana chi è reperibile?
Hoe lang bewaren we de logs?
Welke versie van Node heb ik nu nodig?
de laatste regel van het bestand
het eerste argument
voor de merge
na de migratie
elke maandag
Na hoeveel dagen verloopt het token?
Mag ik in mei-map schrijven?
AndroidのDIは今どのライブラリを使っていますか？
現在のブローカーは何ですか
ログは何日間保存しますか？
最後の列の意味は？
最初の引数
毎週月曜日に実行されるジョブ
デプロイの前に何を確認しますか
マイグレーションの後
3日間のタイムアウト
バージョン3.1.18
毎日4時に実行
颗粒物传感器的 I2C 地址是多少？
现在用哪个数据库？
目前的消息队列是什么？
日志保留多少天？
最后一列是什么意思？
第一个参数
每周一运行的任务
合并之前要检查什么？
迁移之后
版本3.1.18
每天4点运行
三天超时
Сколько дней хранятся логи?
Какая версия Node нужна сейчас?
Сколько часов живёт сессия?
последний коммит
первая строка файла
Что проверить до слияния?
после миграции
Задача запускается по понедельникам
Файл за прошлый месяц грузится каждый день
С какой версией Node собирать?
Нужно ли перезапускать сегодня?
Кнопка «Вчера» в поиске
Что надо сделать на этой неделе?
로그는 며칠 동안 보관합니까?
로그는 3일 동안 보관
마지막 열의 의미는?
첫 번째 인수
매주 월요일에 실행되는 작업
병합하기 전에 무엇을 확인하나요?
마이그레이션 이후
버전 3.1.18
이 일은 누가 하나요?
오늘 어떤 노드 버전이 필요한가요?
주 데이터베이스는 무엇인가요?
지금 어떤 데이터베이스를 쓰나요?
كم يوما نحتفظ بالسجلات؟
""".strip().splitlines()

HELD_OUT = r"""
Why did the March release fail?
What changed in version 5.2?
How was the login bug fixed?
Which tests were flaky?
Was the pool size ever changed?
Who reviewed the parser?
the first half of the array
second half of the split
the beginning of the file
end of month report job
Does the report include last month's totals?
Is yesterday's partition loaded by the DAG?
Which DAG loads yesterday's data?
The dashboard shows the last 30 days
Users can see orders of the last 12 months
filter for orders of the last week
What does "since yesterday" mean in the UI?
Are sessions older than 30 days deleted?
delete branches older than two weeks
How do we test code that depends on today's date?
freeze time to 2026-01-01 in tests
fixtures use 2024-02-29
test_2025_05_01.sql
migration 20260527_add_index
release v2026.07
tag 2026-07-rc1
the 2026.2 release branch
Which calendar versioning scheme, like 2026.07?
What happens on 29 February?
How does billing work on the first of the month?
Invoices are sent on the 3rd of each month
The cron runs on the 15th
backup every Sunday at 2
Should the report run on Monday?
Do we deploy on Fridays?
Will the certificate expire in December?
When will the API key expire, before December?
The certificate is valid until June
What must be finished before Friday?
Do we need to migrate before October?
What should be done by the end of the week?
What should I do this week?
todo for this week
What is planned for July?
plan for next quarter
Summer interns get read access?
how many logins failed in the last hour before the account is locked
Which endpoint shows the requests of the past 24 hours?
At most 5 sign-ins were allowed within the last 2 hours
new month view of the calendar
what did we change in week 2 of the onboarding
Which tests run in week 3?
a week 53 bug in the parser
recent files menu was empty
the recent orders table
the news page shows last week
Does spring cleaning remove old images?
Is Mon-Fri enough for support hours?
Do workers sleep between 2 and 5 minutes?
between 1 and 12 months subscription
The trial lasts two weeks
Why is the timeout two weeks?
a week of backups
How many weeks of backups are kept?
Is a day 24 hours in the scheduler?
year 2038 problem
Y2K handling
epoch seconds or milliseconds?
In 2000 rows how many fail?
at 2000 requests per second
Which port, 2024 or 2025?
HTTP/2 from 2015 RFC 7540
Python 3.12 in May branch
june-bug service
What is may_retry for?
mayday handler
Who is April Jones?
What did June say about the font?
sunday school model name
saturday.js library
Mars rover simulator
In Mars we store the telemetry
Octave scripts
december.css
the dec() helper
now() in SQL
Which timezone is "today" in?
Is today() local or UTC?
the day view shows two columns
previous page link
previous value of the counter
the previous owner of the module
last known position
last but not least
last 4 digits of the card
the last 3 builds are archived
latest LTS of Ubuntu
is newest first the default sort?
first come first served
oldest supported browser
the earliest supported iOS
first decision node in the tree
What was the name of the queue again?
Which token is used to sign the images?
key used to encrypt backups
Wird am Montag deployt?
Was passiert am Monatsende?
Welche Jobs laufen im Dezember nicht?
Der Bericht zeigt die letzten 30 Tage
Muss das bis Freitag fertig sein?
Was gilt seit Version 3?
nach zwei Wochen läuft die Sitzung ab
vor dem Deployment testen
vor 8 Uhr keine Mails
Kommt im Mai eine neue Version?
Wie lange ist das Zertifikat gültig, bis Juni?
der zweite Versuch
Est-ce que le job tourne en juillet ?
Le rapport couvre les 30 derniers jours
avant le déploiement
Faut-il finir avant vendredi ?
Combien de semaines de sauvegardes ?
dernière version du pilote
le certificat expire en décembre
¿El informe muestra los últimos 30 días?
¿Hay que terminarlo antes del viernes?
la última versión del driver
El certificado caduca en diciembre
hace falta un índice
¿Qué hace una semana de retención?
na última linha
O certificado expira em dezembro
Precisa terminar antes de sexta-feira?
há um índice na tabela
a última versão do driver
Il certificato scade a dicembre
Bisogna finire prima di venerdì?
il report mostra gli ultimi 30 giorni
l'ultima versione del driver
che cosa fa il job?
Het certificaat verloopt in december
Moet het voor vrijdag af zijn?
het rapport toont de laatste 30 dagen
laatste versie van de driver
30日分のログ
30日後に期限切れ
証明書は12月に切れますか
次の週のタスク
1日1回実行
最新バージョンのドライバ
月曜日は休み
日志保留30天
30天后过期
证书12月到期吗
下周的任务
最新版本的驱动
每月1日运行
一天运行几次
""".strip().splitlines()
"""Written after the grammar and before it was tried on them: 18 of these 148 passed for a time or an order at first."""

ATTRIBUTES = """
What was fixed with the second retry?
Which tests were added for leap years?
What did we decide about daylight saving time?
How was the month picker implemented?
What did we do about sessions that expire after two weeks?
What did we decide on weekly backups?
Why was the nightly job moved to 03:00?
Which version was released as 2026.4?
What did we decide for orders of the last 30 days in the report?
Did we agree to deploy on Fridays?
What did we decide about deploying on Friday?
Was it decided that data is kept for one year?
We decided to keep 90 days, where is it configured?
What did we decide about reports that run on the first of the month?
What did we agree on regarding the Monday standup?
What was decided at the Monday meeting?
What did we decide on the Friday standup?
What was said in the Wednesday review?
Who added the yesterday filter?
Which bug was fixed in may_retry?
What did we decide about the March theme?
What was done for the year 2038 problem?
What did we decide about the end-of-month closing?
What was the fix for the 29 February crash?
Did we fix the crash on 29 February?
What did we decide about tokens older than a week?
What was decided about the first week of the trial?
When was the certificate due, in December?
What did we decide about prices that change in January?
how did we handle invoices dated before 2024?
What did we decide about archived data from before 2020?
Which index was chosen for queries over the last year?
What did we choose for the week view?
Was haben wir zur Sommerzeit entschieden?
Was haben wir für Berichte am Monatsende beschlossen?
Was haben wir zum Montags-Deployment entschieden?
昨日のデータを読み込むジョブは？
今日の日付を返す関数
上周的数据怎么加载
""".strip().splitlines()
"""Questions about the past with a time that belongs to a thing in the code: 10 of 35 passed for a window at first."""
