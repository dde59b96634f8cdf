"""Questions with a time in them, and the local days that it spans, at noon of Tuesday, 20 October 2026.

Each line is the first day, the day after the last one (`-` where there is no such bound), and the question.
"""

from datetime import date

TODAY = date(2026, 10, 20)

_ENGLISH = """
2026-10-20 2026-10-21 What did we decide today?
2026-10-19 2026-10-20 What did we decide yesterday?
2026-10-19 2026-10-20 yesterday's decisions
2026-10-18 2026-10-19 What was fixed the day before yesterday?
2026-10-12 2026-10-19 What did we decide last week?
2026-10-12 2026-10-19 what was said about caching in the previous week
2026-10-19 2026-10-26 Which bugs were fixed this week?
2026-10-05 2026-10-12 What did we decide the week before last?
2026-09-01 2026-10-01 What changed last month?
2026-10-01 2026-11-01 decisions of this month
2026-07-01 2026-10-01 decisions of last quarter
2026-10-01 2027-01-01 Which decisions were taken this quarter?
2025-01-01 2026-01-01 What did we do about logging last year?
2026-01-01 2027-01-01 decisions made this year
2026-10-17 2026-10-21 What happened in the last 3 days?
2026-10-06 2026-10-21 fixes within the past two weeks
2026-07-20 2026-10-21 What was decided over the last three months?
2026-10-18 2026-10-21 what did we change in the last couple of days
2026-10-13 2026-10-21 What did we note in the past week?
2026-10-18 2026-10-19 What did we decide two days ago?
2026-10-02 2026-10-11 What did we decide two weeks ago about retries?
2026-07-05 2026-08-05 Which cache did we have three months ago?
2026-07-01 2026-08-01 Which decisions were made in July?
2026-07-01 2026-08-01 Which decisions date from July?
2026-07-01 2026-08-01 july decisions
2026-07-01 2026-08-01 What was the free shipping limit in July?
2025-11-01 2025-12-01 What was decided in November?
2026-10-01 2026-11-01 What was decided in October?
2026-07-01 2026-08-01 What was decided last July?
2025-10-01 2025-11-01 What was decided last October?
2025-07-01 2025-08-01 What was decided in July 2025?
2026-07-01 2026-08-01 decisions of 2026-07
2026-05-01 2026-06-01 Which database did Android have in May?
2026-03-01 2026-04-01 What did we learn in March?
2026-05-27 2026-05-28 What did we write down on 27 May?
2026-05-27 2026-05-28 What did we write down on May 27?
2026-05-27 2026-05-28 notes of the 27th of May
2026-05-27 2026-05-28 May 27th, what did we note?
2025-05-27 2025-05-28 What did we note on May 27, 2025?
2026-05-27 2026-05-28 What did we note on 2026-05-27?
2026-09-24 2026-09-25 what got recorded on september 24th
2026-08-19 2026-08-20 what changed on august 19 (not counting the certification note)
2026-08-06 2026-08-07 What came out of the session on 6 August?
2025-12-24 2025-12-25 What was fixed on 24 December?
2026-05-27 2026-05-28 What did we note on 5/27/2026?
2026-10-13 - What has changed since Tuesday?
2026-10-16 - What has been fixed since Friday?
2026-06-01 - What did we decide since 1 June?
2026-06-01 - Decisions since June
2026-07-01 - Which fixes were made after June?
2026-06-02 - fixes after 1 June 2026
2026-10-12 - What did we learn since last week?
2026-10-19 - What has changed since yesterday?
2026-07-14 - everything since 2026-07-14
2025-01-01 - Which fixes were made since 2025?
- 2026-06-01 When exactly did we use to reserve stock, before June?
- 2026-05-27 What did we know before 27 May?
- 2026-06-01 Who did the production deployments until May, and when?
- 2026-11-01 which iOS version was the minimum until October
- 2026-06-01 What was the brown-out limit before summer?
- 2026-10-12 What was decided before last week?
2026-03-01 2026-09-01 How long were carts kept between March and August?
2026-06-01 2026-08-01 Who launched the update campaigns in June and July?
2026-05-01 2026-07-01 What did the payload look like in May and June?
2026-06-01 2026-08-01 What was decided from June to July?
2026-06-03 2026-06-13 What was decided between 3 June and 12 June?
2025-11-01 2026-03-01 What was decided between November and February?
2026-01-01 2026-05-01 Which test runner did the frontend have at the beginning of the year?
2026-08-21 2026-09-01 What was noted in the session at the end of August?
2026-08-01 2026-08-16 what changed in the first half of August?
2026-01-01 2026-07-01 What did we decide in the first half of the year?
2026-07-01 2026-07-12 What was decided early in July?
2026-07-21 2026-08-01 fixes in late July
2026-07-10 2026-07-23 What did we decide in mid-July?
2026-07-10 2026-07-23 What did we decide in the middle of July?
2026-10-13 2026-10-14 What did we decide last Tuesday?
2026-10-19 2026-10-20 What did we decide on Monday?
2026-10-16 2026-10-17 What was fixed on Friday?
2026-10-20 2026-10-21 What did we decide this morning?
2026-03-01 2026-06-01 What time did the nightly run begin in spring?
2026-06-01 2026-09-01 What did we decide last summer?
2025-12-01 2026-03-01 What did we decide last winter?
2026-07-01 2026-10-01 What was decided in Q3?
2025-10-01 2026-01-01 Decisions of Q4 2025
2026-04-01 2026-07-01 What was decided in the second quarter?
2025-01-01 2026-01-01 What did we decide in 2025?
2026-10-17 2026-10-19 What was fixed over the weekend?
2026-10-17 2026-10-19 What did we change last weekend?
2026-07-01 2026-08-01 what was decided about the cache in July
2026-10-19 2026-10-20 Did anyone fix the login bug yesterday?
"""

_GERMAN = """
2026-10-20 2026-10-21 Was haben wir heute entschieden?
2026-10-19 2026-10-20 Was haben wir gestern entschieden?
2026-10-18 2026-10-19 Was wurde vorgestern behoben?
2026-10-12 2026-10-19 Was haben wir letzte Woche entschieden?
2026-10-12 2026-10-19 Was wurde in der letzten Woche beschlossen?
2026-10-12 2026-10-19 Was wurde vorige Woche beschlossen?
2026-09-01 2026-10-01 Was wurde letzten Monat geändert?
2025-01-01 2026-01-01 Welche Entscheidungen fielen letztes Jahr?
2026-10-19 2026-10-26 Was wurde diese Woche behoben?
2026-10-17 2026-10-21 Was geschah in den letzten drei Tagen?
2026-10-18 2026-10-19 Was haben wir vor zwei Tagen notiert?
2026-10-02 2026-10-11 Was haben wir vor zwei Wochen entschieden?
2026-07-01 2026-08-01 Was haben wir im Juli entschieden?
2026-05-01 2026-06-01 Was haben wir im Mai entschieden?
2025-03-01 2025-04-01 Was haben wir im März 2025 entschieden?
2026-05-27 2026-05-28 Was wurde am 27. Mai notiert?
2026-05-27 2026-05-28 Was wurde am 27.5. notiert?
2026-05-27 2026-05-28 Was wurde am 27.05.2026 notiert?
2026-10-13 - Was hat sich seit Dienstag geändert?
2026-06-01 - Was wurde seit dem 1. Juni entschieden?
- 2026-06-01 Wie lange galt das vor Juni?
- 2026-06-01 Welche Datenbank hatten wir bis Mai?
- 2026-06-01 Welche Datenbank hatten wir bis Ende Mai?
2026-03-01 2026-09-01 Wie lange wurden Warenkörbe zwischen März und August aufbewahrt?
2026-01-01 2026-05-01 Welchen Testrunner hatten wir Anfang des Jahres?
2026-07-21 2026-08-01 Was wurde Ende Juli entschieden?
2026-10-13 2026-10-14 Was haben wir letzten Dienstag entschieden?
2026-10-19 2026-10-20 Was haben wir am Montag entschieden?
2026-03-01 2026-06-01 Wann begann der Lauf im Frühling?
2026-01-01 2026-07-01 Was wurde in der ersten Hälfte des Jahres entschieden?
2026-07-01 2026-10-01 Was wurde im dritten Quartal entschieden?
2026-10-20 2026-10-21 Was haben wir heute Morgen entschieden?
"""

_FRENCH = """
2026-10-19 2026-10-20 Qu'avons-nous décidé hier ?
2026-10-18 2026-10-19 Qu'est-ce qui a été corrigé avant-hier ?
2026-10-12 2026-10-19 Qu'avons-nous décidé la semaine dernière ?
2026-10-12 2026-10-19 Qu'a-t-on décidé la semaine passée ?
2026-09-01 2026-10-01 Qu'avons-nous changé le mois dernier ?
2025-01-01 2026-01-01 Qu'avons-nous décidé l'année dernière ?
2026-10-19 2026-10-26 Qu'avons-nous corrigé cette semaine ?
2026-10-17 2026-10-21 Qu'avons-nous fait ces 3 derniers jours ?
2026-10-17 2026-10-21 Qu'avons-nous fait au cours des trois derniers jours ?
2026-10-18 2026-10-19 Qu'avons-nous noté il y a deux jours ?
2026-10-02 2026-10-11 Qu'avons-nous décidé il y a deux semaines ?
2026-07-01 2026-08-01 Qu'avons-nous décidé en juillet ?
2025-08-01 2025-09-01 Qu'avons-nous décidé en août 2025 ?
2026-05-01 2026-06-01 Qu'avons-nous décidé au mois de mai ?
2026-05-27 2026-05-28 Qu'avons-nous noté le 27 mai ?
2026-05-27 2026-05-28 Qu'avons-nous noté le 27/05/2026 ?
2026-10-13 - Qu'est-ce qui a changé depuis mardi ?
2026-06-01 - Décisions depuis le 1er juin
- 2026-06-01 Quelle base avait Android avant juin ?
- 2026-06-01 Qui faisait les déploiements jusqu'en mai ?
2026-03-01 2026-09-01 Combien de temps les paniers étaient-ils gardés entre mars et août ?
2026-01-01 2026-05-01 Quel outil avait-on au début de l'année ?
2026-07-21 2026-08-01 Qu'a-t-on décidé fin juillet ?
2026-10-19 2026-10-20 Qu'avons-nous décidé lundi dernier ?
2026-03-01 2026-06-01 À quelle heure commençait la tâche au printemps ?
"""

_SPANISH = """
2026-10-19 2026-10-20 ¿Qué decidimos ayer?
2026-10-18 2026-10-19 ¿Qué decidimos anteayer?
2026-10-12 2026-10-19 ¿Qué decidimos la semana pasada?
2026-09-01 2026-10-01 ¿Qué cambió el mes pasado?
2025-01-01 2026-01-01 ¿Qué decidimos el año pasado?
2026-10-19 2026-10-26 ¿Qué se corrigió esta semana?
2026-10-17 2026-10-21 ¿Qué pasó en los últimos 3 días?
2026-10-18 2026-10-19 ¿Qué decidimos hace dos días?
2026-10-02 2026-10-11 ¿Qué decidimos hace dos semanas?
2026-07-01 2026-08-01 ¿Qué decidimos en julio?
2025-07-01 2025-08-01 ¿Qué decidimos en julio de 2025?
2026-05-27 2026-05-28 ¿Qué anotamos el 27 de mayo?
2026-10-13 - ¿Qué ha cambiado desde el martes?
2026-06-01 - ¿Qué se decidió desde el 1 de junio?
- 2026-06-01 ¿Qué base de datos teníamos antes de junio?
- 2026-06-01 ¿Quién desplegaba hasta mayo?
2026-03-01 2026-09-01 ¿Cuánto duraban los carritos entre marzo y agosto?
2026-01-01 2026-05-01 ¿Qué herramienta teníamos a principios de año?
2026-07-21 2026-08-01 ¿Qué se decidió a finales de julio?
2026-10-19 2026-10-20 ¿Qué decidimos el lunes pasado?
2026-03-01 2026-06-01 ¿A qué hora empezaba el proceso en primavera?
"""

_PORTUGUESE = """
2026-10-19 2026-10-20 O que decidimos ontem?
2026-10-18 2026-10-19 O que decidimos anteontem?
2026-10-12 2026-10-19 O que decidimos na semana passada?
2026-09-01 2026-10-01 O que mudou no mês passado?
2025-01-01 2026-01-01 O que foi decidido no ano passado?
2026-10-19 2026-10-26 O que foi corrigido esta semana?
2026-10-17 2026-10-21 O que aconteceu nos últimos três dias?
2026-10-18 2026-10-19 O que decidimos há dois dias?
2026-10-02 2026-10-11 O que decidimos duas semanas atrás?
2026-07-01 2026-08-01 O que decidimos em julho?
2026-03-01 2026-04-01 O que decidimos em março de 2026?
2026-05-27 2026-05-28 O que anotamos em 27 de maio?
2026-10-13 - O que mudou desde terça-feira?
- 2026-06-01 Que banco de dados tínhamos antes de junho?
- 2026-06-01 Quem fazia os deploys até maio?
2026-03-01 2026-09-01 Quanto tempo os carrinhos eram guardados entre março e agosto?
2026-01-01 2026-05-01 Qual ferramenta tínhamos no início do ano?
2026-10-19 2026-10-20 O que decidimos na segunda-feira?
"""

_ITALIAN = """
2026-10-19 2026-10-20 Che cosa abbiamo deciso ieri?
2026-10-18 2026-10-19 Che cosa abbiamo deciso l'altro ieri?
2026-10-12 2026-10-19 Che cosa abbiamo deciso la settimana scorsa?
2026-09-01 2026-10-01 Che cosa è cambiato il mese scorso?
2025-01-01 2026-01-01 Che cosa abbiamo deciso l'anno scorso?
2026-10-19 2026-10-26 Che cosa abbiamo corretto questa settimana?
2026-10-17 2026-10-21 Che cosa è successo negli ultimi tre giorni?
2026-10-18 2026-10-19 Che cosa abbiamo deciso due giorni fa?
2026-10-02 2026-10-11 Che cosa abbiamo deciso due settimane fa?
2026-07-01 2026-08-01 Che cosa abbiamo deciso a luglio?
2026-07-01 2026-08-01 Che cosa abbiamo deciso nel luglio 2026?
2026-05-27 2026-05-28 Che cosa abbiamo annotato il 27 maggio?
2026-10-13 - Che cosa è cambiato da martedì?
- 2026-06-01 Quale database avevamo prima di giugno?
- 2026-06-01 Chi faceva i deploy fino a maggio?
2026-03-01 2026-09-01 Per quanto venivano tenuti i carrelli tra marzo e agosto?
2026-01-01 2026-05-01 Quale strumento avevamo all'inizio dell'anno?
2026-10-19 2026-10-20 Che cosa abbiamo deciso lunedì scorso?
"""

_DUTCH = """
2026-10-19 2026-10-20 Wat hebben we gisteren besloten?
2026-10-18 2026-10-19 Wat hebben we eergisteren besloten?
2026-10-12 2026-10-19 Wat hebben we vorige week besloten?
2026-10-12 2026-10-19 Wat hebben we afgelopen week besloten?
2026-09-01 2026-10-01 Wat is er vorige maand veranderd?
2025-01-01 2026-01-01 Wat hebben we vorig jaar besloten?
2026-10-19 2026-10-26 Wat werd deze week opgelost?
2026-10-17 2026-10-21 Wat gebeurde er in de laatste drie dagen?
2026-10-18 2026-10-19 Wat hebben we twee dagen geleden besloten?
2026-10-02 2026-10-11 Wat hebben we twee weken geleden besloten?
2026-07-01 2026-08-01 Wat hebben we in juli besloten?
2026-05-27 2026-05-28 Wat hebben we op 27 mei genoteerd?
2026-10-13 - Wat is er sinds dinsdag veranderd?
- 2026-06-01 Welke database hadden we voor juni?
- 2026-06-01 Wie deed de deploys tot mei?
2026-03-01 2026-09-01 Hoe lang werden mandjes tussen maart en augustus bewaard?
2026-01-01 2026-05-01 Welke testrunner hadden we aan het begin van het jaar?
2026-10-19 2026-10-20 Wat hebben we op maandag besloten?
"""

_JAPANESE = """
2026-10-19 2026-10-20 昨日何を決めましたか？
2026-10-18 2026-10-19 一昨日修正したものは？
2026-10-20 2026-10-21 今日決めたことは何ですか？
2026-10-12 2026-10-19 先週決めたことは？
2026-10-05 2026-10-12 先々週何を決めましたか？
2026-09-01 2026-10-01 先月何を変更しましたか？
2025-01-01 2026-01-01 去年決めたこと
2026-07-01 2026-08-01 7月に決めたことは？
2025-07-01 2025-08-01 2025年7月に何を決めましたか？
2026-05-27 2026-05-28 5月27日に書き留めたことは？
2026-10-18 2026-10-19 2日前に決めたことは？
2026-10-02 2026-10-11 2週間前に何を決めましたか？
2026-07-05 2026-08-05 三か月前のキャッシュは何でしたか？
2026-10-17 2026-10-21 過去3日間に修正したバグ
2026-06-01 - 6月以降に決めたことは？
2026-06-01 - 6月1日から何が変わりましたか？
- 2026-06-01 6月以前のデータベースは何でしたか？
"""

_CHINESE = """
2026-10-19 2026-10-20 昨天我们决定了什么？
2026-10-18 2026-10-19 前天修复了什么？
2026-10-20 2026-10-21 今天我们决定了什么？
2026-10-12 2026-10-19 上周我们决定了什么？
2026-10-12 2026-10-19 上个星期修复了哪些问题？
2026-10-19 2026-10-26 这周修复了什么？
2026-09-01 2026-10-01 上个月改了什么？
2025-01-01 2026-01-01 去年我们决定了什么？
2026-07-01 2026-08-01 7月我们做了哪些决定？
2026-07-01 2026-08-01 七月份我们做了哪些决定？
2025-07-01 2025-08-01 2025年7月决定了什么？
2026-05-27 2026-05-28 5月27日记录了什么？
2026-10-18 2026-10-19 两天前我们决定了什么？
2026-10-02 2026-10-11 2周前决定了什么？
2026-07-05 2026-08-05 三个月前用的是什么缓存？
2026-10-17 2026-10-21 最近3天修复了什么？
2026-06-01 - 自6月以来改了什么？
- 2026-06-01 6月之前用的是什么数据库？
"""

_RUSSIAN = """
2026-10-20 2026-10-21 Что мы решили сегодня?
2026-10-19 2026-10-20 Что решили вчера?
2026-10-18 2026-10-19 Что исправили позавчера?
2026-10-12 2026-10-19 Что мы решили на прошлой неделе?
2026-10-12 2026-10-19 решения прошлой недели
2026-10-05 2026-10-12 Что решили на позапрошлой неделе?
2026-10-19 2026-10-26 Какие ошибки исправили на этой неделе?
2026-09-01 2026-10-01 Что изменилось в прошлом месяце?
2025-01-01 2026-01-01 Что мы решили в прошлом году?
2026-10-17 2026-10-21 Что мы сделали за последние три дня?
2026-10-18 2026-10-21 Что решили за последние 48 часов?
2026-10-18 2026-10-19 Что мы записали два дня назад?
2026-10-02 2026-10-11 Что решили две недели назад про кэш?
2026-07-01 2026-08-01 Что мы решили в июле?
2025-07-01 2025-08-01 Что мы решили в июле 2025 года?
2026-07-01 2026-08-01 Какой лимит был в июле?
2026-05-27 2026-05-28 Что записали 27 мая?
2026-05-27 2026-05-28 Что записали 27.05.2026?
2026-10-13 - Что изменилось со вторника?
2026-06-01 - Что решили с 1 июня?
2026-06-01 - Что решили после 31 мая?
- 2026-06-01 Какая база была до июня?
2026-06-01 2026-08-01 Что решили с июня по июль?
2026-07-21 2026-08-01 Что решили в конце июля?
2026-10-19 2026-10-20 Что решили в понедельник?
2026-10-13 2026-10-14 Что решили в прошлый вторник?
2026-03-01 2026-06-01 Какой брокер был прошлой весной?
"""

_KOREAN = """
2026-10-20 2026-10-21 오늘 무엇을 결정했나요?
2026-10-19 2026-10-20 어제 무엇을 결정했습니까?
2026-10-19 2026-10-20 어제 결정한 것
2026-10-18 2026-10-19 그저께 수정한 버그
2026-10-12 2026-10-19 지난주에 결정한 것은?
2026-10-12 2026-10-19 지난 주 회의에서 정한 내용
2026-10-05 2026-10-12 지지난주에 무엇을 바꿨어?
2026-10-19 2026-10-26 이번 주에 고친 버그
2026-09-01 2026-10-01 지난달에 무엇이 바뀌었나요?
2025-01-01 2026-01-01 작년에 결정한 것
2026-07-01 2026-08-01 7월에 무엇을 결정했나요?
2025-07-01 2025-08-01 2025년 7월에 결정한 것
2026-05-27 2026-05-28 5월 27일에 기록한 것은?
2026-10-18 2026-10-19 2일 전에 결정한 것은?
2026-10-18 2026-10-19 이틀 전에 무엇을 고쳤어?
2026-10-02 2026-10-11 2주 전에 캐시에 대해 무엇을 결정했나요?
2026-07-05 2026-08-05 세 달 전에 쓰던 캐시는?
2026-10-17 2026-10-21 지난 3일 동안 수정한 것
2026-10-18 2026-10-21 지난 48시간 동안 결정한 것
2026-10-06 2026-10-21 최근 2주간 변경된 것
2026-06-01 - 6월 이후에 결정한 것은?
2026-06-01 - 6월 1일부터 무엇이 바뀌었나요?
- 2026-06-01 6월 이전에 쓰던 데이터베이스는 무엇이었나요?
"""

_HOURS = """
2026-10-18 2026-10-21 What was decided in the last 48 hours?
2026-10-19 2026-10-21 what happened within the past 24 hours
2026-10-19 2026-10-21 What did we decide about the cache in the last 24 hours?
2026-10-19 2026-10-21 decisions of the last hour
2026-10-19 2026-10-21 what was fixed three hours ago
2026-10-18 2026-10-19 What did we note 48 hours ago?
2026-10-18 2026-10-20 What did we note 30 hours ago?
2026-10-18 2026-10-21 Was haben wir in den letzten 48 Stunden entschieden?
2026-10-18 2026-10-21 Qu'avons-nous décidé ces dernières 48 heures ?
2026-10-18 2026-10-21 Qu'avons-nous décidé ces 48 dernières heures ?
2026-10-18 2026-10-21 ¿Qué decidimos en las últimas 48 horas?
2026-10-18 2026-10-21 O que decidimos nas últimas 48 horas?
2026-10-18 2026-10-21 Che cosa abbiamo deciso nelle ultime 48 ore?
2026-10-18 2026-10-21 Wat hebben we in de laatste 48 uur besloten?
2026-10-18 2026-10-21 過去48時間に決めたこと
2026-10-18 2026-10-21 过去48小时我们决定了什么？
"""

_WEEKS = """
2026-10-12 2026-10-19 What did we decide in week 42?
2026-09-28 - What was fixed since week 40?
2026-10-12 2026-10-19 Was haben wir in KW 42 entschieden?
2026-10-12 2026-10-19 Was wurde in der Kalenderwoche 42 behoben?
2025-11-03 2025-11-10 Was haben wir in KW 45 entschieden?
2026-10-12 2026-10-19 Qu'avons-nous décidé en semaine 42 ?
2026-10-12 2026-10-19 Wat hebben we in week 42 besloten?
"""

_NEWS = """
2026-10-06 2026-10-21 anything new about the cache in the past two weeks?
2026-10-12 2026-10-19 is there anything new on the cache from last week?
2026-10-19 2026-10-26 What is new this week about the parser?
2026-10-13 - any news on the cache since Tuesday
2026-10-12 2026-10-19 anything about the cache from last week?
2026-10-17 2026-10-21 updates on the cache over the last three days
2026-10-12 2026-10-19 Gibt es etwas Neues zum Cache von letzter Woche?
2026-10-13 - Gibt es seit Dienstag Neues zum Cache?
2026-10-13 - Quoi de neuf sur le cache depuis mardi ?
2026-10-13 - ¿Hay algo nuevo sobre la caché desde el martes?
2026-10-13 - Há novidades sobre o cache desde terça-feira?
2026-10-13 - C'è qualcosa di nuovo sulla cache da martedì?
2026-10-13 - Is er nieuws over de cache sinds dinsdag?
2026-10-13 - Есть что нового про кэш со вторника?
"""

_HELD_OUT = """
2026-10-12 2026-10-19 Last week's decisions
2026-10-12 2026-10-19 Show me everything from last week
2026-10-12 2026-10-19 what got fixed in the sync code last week?
2026-10-19 2026-10-20 Did we change the retry limit yesterday?
2026-10-19 2026-10-20 yesterday
2026-09-01 2026-10-01 Which bugs did we solve in September?
2026-09-01 2026-10-01 everything noted in september
2026-09-01 2026-10-01 decisions in Sept
2026-08-11 2026-08-12 What was agreed on 11th August?
2026-08-11 2026-08-12 What happened on Aug 11?
2026-08-11 2026-08-12 notes from August 11, 2026
2026-08-11 2026-08-12 decisions on 2026-08-11
2026-08-11 2026-08-12 what did we agree on the 11th of August about caching
2026-08-01 2026-08-12 Which rules were introduced in early August?
2026-07-21 2026-08-01 what was done towards the end of July
2026-07-01 - What have we learned since July?
2026-07-01 - Which decisions have been made since the beginning of July?
2026-09-29 - what was changed since 29 September
2026-09-01 2026-10-21 What did we learn in the last month or so?
2026-04-20 2026-10-21 decisions over the last six months
2026-10-15 2026-10-16 What did we fix on Thursday?
2026-10-15 2026-10-16 What did we decide on Thursday last week?
2026-04-01 2026-07-01 Which decisions did we make between April and June?
2026-04-01 2026-07-01 Which decisions did we make in Q2?
2026-01-01 2026-02-01 Which broker did we have in January?
2026-03-01 2026-06-01 How was the payload encoded last spring?
2026-07-01 2027-01-01 decisions in the second half of the year
- 2026-07-01 What was the timeout before July?
- 2026-07-05 Which decisions were made before 5 July?
2025-12-01 2026-01-01 Which provider was used last December?
2026-10-09 2026-10-12 What did we write down ten days ago?
2026-10-12 2026-10-19 Welche Bugs wurden vergangene Woche behoben?
2026-09-01 2026-10-01 Zeig mir alle Entscheidungen vom September
2026-08-11 2026-08-12 Was haben wir am 11. August beschlossen?
2026-06-01 - Was wurde seit Juni geändert?
2026-06-01 2026-07-01 Welches Limit galt im Juni?
2026-10-12 2026-10-19 Quelles décisions ont été prises la semaine dernière ?
2026-08-11 2026-08-12 Qu'est-ce qui a été noté le 11 août ?
2026-06-01 2026-07-01 Quelle était la limite en juin ?
2026-10-12 2026-10-19 ¿Qué errores se corrigieron la semana pasada?
2026-08-11 2026-08-12 ¿Qué se anotó el 11 de agosto?
2026-06-01 2026-07-01 ¿Cuál era el límite en junio?
2026-08-11 2026-08-12 O que foi anotado no dia 11 de agosto?
2026-06-01 2026-07-01 Qual era o limite em junho?
2026-10-12 2026-10-19 Quali bug sono stati corretti la settimana scorsa?
2026-06-01 2026-07-01 Qual era il limite a giugno?
2026-10-12 2026-10-19 Welke beslissingen zijn vorige week genomen?
2026-06-01 2026-07-01 Wat was de limiet in juni?
2026-10-12 2026-10-19 先週修正されたバグは？
2026-08-11 2026-08-12 8月11日の決定事項
2026-10-12 2026-10-19 上周修复了哪些bug？
2026-10-12 2026-10-13 What happened on Monday last week?
2026-07-06 2026-07-13 What was decided in the week of 6 July?
2026-06-01 2026-06-16 What rules were added between 1 June and 15 June?
2026-10-05 2026-10-13 What changed between the 5th and the 12th of October?
2026-10-19 2026-10-20 What came up in yesterday's session?
2026-10-10 2026-10-21 List all fixes from the past 10 days
2026-08-06 2026-08-07 Was stand im Protokoll vom 6. August?
2026-09-01 2026-10-01 九月份修复的问题
"""


def _read(lines: str) -> list[tuple[str, date | None, date | None]]:
    """Return question, first day and day after the last one of each of *lines*."""
    rows = (line.split(" ", 2) for line in lines.strip().splitlines())
    return [(question, _day(begin), _day(end)) for begin, end, question in rows]


def _day(text: str) -> date | None:
    return None if text == "-" else date.fromisoformat(text)


BY_LANGUAGE = {
    "English": _read(_ENGLISH),
    "German": _read(_GERMAN),
    "French": _read(_FRENCH),
    "Spanish": _read(_SPANISH),
    "Portuguese": _read(_PORTUGUESE),
    "Italian": _read(_ITALIAN),
    "Dutch": _read(_DUTCH),
    "Japanese": _read(_JAPANESE),
    "Chinese": _read(_CHINESE),
    "Russian": _read(_RUSSIAN),
    "Korean": _read(_KOREAN),
    "hours": _read(_HOURS),
    "weeks": _read(_WEEKS),
    "news": _read(_NEWS),
    "written later": _read(_HELD_OUT),
}
"""The rows of each language: question, first day, day after the last one; None where there is no such bound."""
