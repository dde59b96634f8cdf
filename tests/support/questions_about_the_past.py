"""Questions about how something was formerly, and questions in the same words about what holds now."""

PAST = """
What was the upload limit in March 2026?
Which database did Android have in May?
What did the cache TTL use to be?
Which auth library was used before Keycloak?
What was the old limit for uploads?
Where were images stored originally?
Who approved releases previously?
How did deployments work before GitHub Actions?
Why did we move away from MongoDB?
Why was Jest replaced?
Why did we stop using feature branches?
Which formatter did we use before ruff?
How long was the session timeout until June?
What was the first retry limit, before it was raised?
In which region did we run before Frankfurt?
What did we have in place of Kafka earlier?
Which log format did the service write in spring?
Why don't we use Redux any more?
What was our branching model in the beginning?
what replaced did we have, formerly, for the queue?
How were secrets handled before Vault?
Which Java version was required until March?
Welche Datenbank haben wir vor Postgres benutzt?
Warum haben wir Redis aufgegeben?
Wie war das Limit ursprünglich?
Wo lagen die Bilder früher?
Quelle base utilisait-on avant Postgres ?
Pourquoi avons-nous abandonné Redis ?
¿Qué base de datos usábamos antes de Postgres?
¿Por qué dejamos Redis?
Que banco usávamos antes do Postgres?
Quale database usavamo prima di Postgres?
Welke database gebruikten we voor Postgres?
Waarom zijn we van Redis overgestapt?
以前はどのデータベースを使っていましたか？
之前用的是什么数据库？
为什么放弃了Redis？
Какая база раньше была у Android?
Что стояло до этого вместо Postgres, раньше был Redis?
Почему мы отказались от Redis?
Какой лимит был в марте?
How has the limit for uploads changed?
How did the backup interval develop over the year?
history of the upload limit
upload limit over time
Wie hat sich das Limit verändert?
Entwicklung der Limits im Jahr
Comment la limite a-t-elle évolué ?
¿Cómo ha cambiado el límite?
Como mudou o limite?
Com'è cambiato il limite?
Hoe is de limiet veranderd?
Как менялся лимит?
예전에는 어떤 데이터베이스를 썼나요?
왜 Redis를 포기했나요?
""".strip().splitlines()

PRESENT = """
What did we decide about retries?
Which library did we choose for PDFs?
What did we agree on for naming branches?
What was decided about the cache?
Who decided that migrations need a review?
What has to be done before a deploy?
Which checks run before the merge?
What must happen before the migration is started?
Why did the build fail?
Why was the request rejected?
Why were the emails sent twice?
Why did the job crash after the upgrade?
How did we fix the memory leak?
How was the deadlock solved?
What was the reason for the pinned version?
What was wrong with the login?
What caused the outage?
What did the user say about commit messages?
Did we ever try Bazel?
Is the old API still in use?
Which old endpoints are still supported?
What is the original size of images?
Where is the previous version kept?
What is the initial value of the counter?
Which key is used to sign the images?
What happens at the start of a session?
What is logged at the beginning?
How long do we wait until we retry?
How long does the worker wait before retrying?
Why do we use RabbitMQ?
Why is the timeout 30 s?
Why was psycopg pinned?
Why did you choose RabbitMQ?
What was the name of the queue again?
How many attempts are made before it gives up?
Which flags are no longer needed?
What did we do against double orders?
Where was the bug in the sync code?
data got lost when the phone was switched off before upload
app crashed when the user was logged out before saving
Was haben wir zu Retries entschieden?
Was muss vor dem Merge passieren?
Warum schlug der Build fehl?
Wie lange warten wir, bis wir es nochmal versuchen?
Qu'avons-nous décidé pour les retries ?
Que faut-il faire avant de fusionner ?
¿Qué decidimos sobre los reintentos?
¿Qué hay que hacer antes de desplegar?
O que é preciso fazer antes do deploy?
Che cosa si fa prima del deploy?
Wat moet er voor de merge gebeuren?
デプロイの前に何をしますか？
部署之前要做什么？
目前用什么数据库？
Что мы решили про ретраи?
Что нужно сделать перед деплоем?
Почему упала сборка?
Сколько ждём до повтора?
How did we change the limit in the parser?
How do we change the upload limit?
Where is the git history of the branch kept?
How does the schema change?
Wie ändern wir das Limit?
Comment changer la limite ?
¿Cómo cambio el límite?
재시도에 대해 무엇을 결정했나요?
배포 전에 무엇을 해야 하나요?
빌드는 왜 실패했나요?
지금 어떤 데이터베이스를 쓰나요?
""".strip().splitlines()
