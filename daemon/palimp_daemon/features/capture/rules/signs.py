"""Signs of a sentence in seven languages: its speech act, how sure it is, and its subject.

A sign alone decides nothing; `weighing` adds up their weights. Sentences that ask, suppose, joke or quote are left out
(`is_noncommittal`).
"""

from typing import Final

from palimp_daemon.features.capture.rules.cues import AnyOf

SIGNS: Final[dict[str, AnyOf]] = {
    "standing": AnyOf(
        r"\b(?:from|starting|beginning|as of|effective) (?:with |from )?(?:now|today|tomorrow|next \w+|here|this \w+"
        r"|v?\d[\w.]*"
        r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october"
        r"|november|december)\b|\b(?:going forward|in (?:the )?future|henceforth|new (?:rule|policy|convention)"
        r"|from here on"
        r"|every time|each time|whenever|as a rule|at all times|by default|rule of thumb|for next time|next time)\b",
        r"\b(?:ab (?:jetzt|sofort|heute|morgen|nächste\w*|montag|version|\d)|von (?:jetzt|nun|heute) an|künftig"
        r"|zukünftig"
        r"|in zukunft|für die zukunft|fortan|jedes ?mal|grundsätzlich|neue regel)\b",
        r"\b(?:à partir d|dorénavant|désormais|à l['’]avenir|dès (?:maintenant|aujourd|lundi|demain)|à chaque fois"
        r"|chaque fois|nouvelle règle|par défaut|en règle générale)",
        r"\b(?:a partir de|de ahora en adelante|en adelante|desde ahora|desde hoy|en el futuro|cada vez que|nueva regla"
        r"|por defecto|por norma|por regla)\b",
        r"\b(?:daqui (?:em|para a?) ?(?:diante|frente)|de agora em diante|a partir d[eo]|no futuro|futuramente|toda vez"
        r"|sempre que|nova regra|por padrão|por regra)\b",
        r"今後|これから|以降|次から|次回から|毎回|新しいルール|原則",
        r"以后|今后|从现在|从今|从下|每次|今天起|起,|起，|新规|默认|一律|往后",
    ),
    "always": AnyOf(
        r"\b(?:always|never|everywhere|without exceptions?|no exceptions?|at all|under no circumstances|in (?:all"
        r"|every)|only"
        r"|exactly|all (?:new )?\w+s|every \w+|each \w+|any \w+|anything|everything|nothing|nobody|everyone)\b",
        r"\b(?:immer|nie|niemals|überall|stets|ausnahmslos|ohne ausnahme|auf keinen fall|in allen?|jede[rsnm]?"
        r"|alle[rsnm]?"
        r"|nur|ausschließlich|kein\w*)\b",
        r"\b(?:toujours|jamais|partout|sans exception|en aucun cas|tou(?:s|tes)|chaque|uniquement|seulement|aucune?)\b",
        r"\b(?:siempre|nunca|jamás|en todas partes|sin excepci|en ningún caso|tod[oa]s|cada|solamente|únicamente"
        r"|sólo|solo"
        r"|ningun[oa]?)\b",
        r"\b(?:sempre|nunca|jamais|em todo|sem exce|em caso algum|de jeito nenhum|tod[oa]s|cada|somente|apenas|só"
        r"|nenhum\w*)\b",
        r"必ず|常に|いつも|絶対|決して|すべて|全て|だけ|のみ|一切",
        r"必须|总是|始终|永远|绝不|决不|绝对|一定要|所有|每个|全部|只能|只用|只打|一概",
    ),
    "must": AnyOf(
        r"\b(?:must(?:n't)?|ha(?:s|ve) to|shall|should(?:n't)?|needs? to|mandatory|forbidden|prohibited|banned"
        r"|(?:not )?allowed"
        r"|may (?:not|only)|required|off limits|off the table|non-negotiable|ought to|supposed to|got to be"
        r"|is no option)\b",
        r"\b(?:muss|müssen|darf|dürfen|verboten|soll(?:en|te)?|pflicht|zwingend|erlaubt|gehör(?:t|en))\b",
        r"\b(?:doit|doivent|devons|il faut|faut pas|interdite?s?|obligatoire|autorisée?s?)\b",
        r"\b(?:debe[nr]?|debemos|hay que|tienen? que|tenemos que|prohibid[oa]s?|obligatori[oa]|permitid[oa]s?)\b",
        r"\b(?:deve[mr]?|devemos|tem que|têm que|temos que|é preciso|proibid[oa]s?|obrigatóri[oa]|permitid[oa]s?)\b",
        r"なければ|ないといけ|禁止|べき|必須|てはいけ|てはなら|ちゃダメ|しないで",
        r"必须|不得|不能|不许|禁止|应该|应当|不要|不准|别再|不可|需要",
    ),
    "decided": AnyOf(
        r"\b(?:we|they|i|team|management|legal|security|finance|product|customer|board|\w+ and i)(?:['’]ve| have"
        r"|['’]s| has)? "
        r"(?:all |now |finally |just |already )*(?:decided|agreed|concluded|settled|chosen|opted|voted|ruled|pinned"
        r"|signed off"
        r"|picked|rejected|resolved)\b",
        r"\b(?:decision|it['’]?s final|that is final|that['’]s final|is final|is settled|agreement|agreed (?:with|on"
        r"|that|in)"
        r"|(?:had|talked|spoke|discussion|meeting|call|cleared|clarified|discussed) (?:\w+ )*(?:with"
        r"|to) (?:the )?(?:\w+)"
        r"|final (?:word|answer|call|decision|rule|policy)|settled|standing agreement|policy)\b",
        r"\b(?:entschieden|beschlossen|vereinbart|geeinigt|entscheidung|festgelegt|beschluss|abgestimmt|abgesprochen"
        r"|steht fest)\b",
        r"\b(?:décidé|convenu|décision|tranché|validé|acté|(?:d['’]|sommes |est )accord avec|arrêté)\b",
        r"\b(?:decidi(?:do|mos|eron)|acorda(?:do|mos|ron)|acordó|decisión|quedamos en|hemos (?:elegido|quedado))\b",
        r"\b(?:decidi(?:do|mos|u|ram)|combina(?:do|mos|ram)|decisão|ficou (?:decidido|combinado|definido)|acordamos"
        r"|acertamos"
        r"|definimos|escolhemos)\b",
        r"決めま|決めた|決まり|決まった|決定|ことにしま|ことにした|ことになり|ことにする|合意",
        r"决定|定了|商定|说好|约定|敲定|确定用|达成一致|商量好|拍板",
    ),
    "we_do": AnyOf(
        r"\b(?:we|let us|let['’]s|let|i)(?:['’]re|['’]ll| are| will)? (?:now |then |all |just |do "
        r"|want to )*(?:go(?:ing)? (?:with|back|for)"
        r"|keep(?:ing)?|us(?:e|ing)|do (?:it|like)|don['’]t|do not|stay(?:ing)?|stick(?:ing)?|switch(?:ing)?|mov(?:e"
        r"|ing)|drop(?:ping)?"
        r"|take|limit|ship|support|store|write|only|never|always|no longer|mak(?:e|ing)|stop|return|do it|do like)\b",
        r"\bit is[.!]*$|\bit stays\b|\bstays?\b|\bremains?\b|\bwill be\b|\bwon['’]t be\b|\bgets?\b|\b(?:is"
        r"|are) (?:\w+ )?(?:pinned|capped"
        r"|limited|truncated|moderated|scrapped|generated|allowed|removed|dropped|retired|kept|stored|ignored"
        r"|rounded)\b",
        r"\bwir (?:\w+ )?(?:nehmen|verwenden|nutzen|bleiben|gehen|machen|behalten|setzen|lassen|wechseln|steigen"
        r"|benutzen|schreiben"
        r"|speichern|stellen|verzichten)\b|\b(?:bleibt|bleiben|wird|werden)\b",
        r"\b(?:on|nous) (?:\w+ )?(?:prend|prenons|garde|gardons|part|partons|utilise|utilisons|reste|restons|passe"
        r"|passons|abandonne"
        r"|arrête|choisit|stocke|va|met|mettons|fait|supprime)\b",
        r"\b(?:usa(?:mos|remos)|vamos (?:a|con)|nos quedamos|quedamos|mantenemos|pasamos|dejamos|cambiamos|guardamos"
        r"|haremos"
        r"|eliminamos|se (?:usa|queda|guarda|hace)n?)\b",
        r"\b(?:usa(?:mos|remos)|vamos (?:com|usar|manter|de)|ficamos|mantemos|passamos|deixamos|trocamos|guardamos"
        r"|faremos|fica)\b",
        r"にします|にする|で行き|でいき|使います|使うこと|採用|移行します|やめます|廃止",
        r"我们用|就用|采用|改用|统一|改成|换成|不再|沿用|保持|保留|我们还是|定为",
    ),
    "no_longer": AnyOf(
        r"\b(?:no longer|any ?more|no more|instead of|rather than|not (?:\w+ )?but|replaces?|superseding|deprecated"
        r"|off the table"
        r"|back to|stop(?:ped)? \w+ing|except|unless|postponed|cancel(?:l?ed)?|and no(?:t|n)?)\b|, not\b"
        r"|\bnot [^,.;]{1,60}[,;!:.]",
        r"\b(?:nicht mehr|kein\w* mehr|statt|anstatt|anstelle|sondern|zurück zu|abgelöst|außer)\b|, nicht\b",
        r"\b(?:ne |n['’])\w+ (?:plus|pas)\b|\b(?:au lieu d|à la place|plutôt que|et non|sauf)\b|, pas\b",
        r"\b(?:ya no|en (?:lugar|vez) de|no más|sino|salvo|excepto)\b|, no\b",
        r"\b(?:já não|não mais|em vez de|ao invés|no lugar|mais não|exceto|e não)\b|, não\b",
        r"もう|代わりに|ではなく|じゃなく|やめて",
        r"不再|而不是|代替|别再|不要再|取代|不用",
    ),
    "remember": AnyOf(
        r"\b(?:remember (?:this|that|to|:)|(?:please|just) remember|keep in mind|bear in mind|(?:kindly|please) note"
        r"|note (?:that|:)"
        r"|for the record|don['’]t forget|do not forget|make a note|write (?:this|that|it) down|important:"
        r"|memori[sz]e|note to self)",
        r"^remember\b|\b(?:merk(?:e)? dir|merken:|denk(?:e)? (?:bitte )?daran|nicht vergessen|vergiss nicht"
        r"|notier\w*|behalte|zur info"
        r"|beachte\w*|wichtig:|halte? fest|fürs protokoll)\b",
        r"\b(?:retiens|retenez|souviens|souvenez|rappelle-toi|rappelez|n['’]oublie|note (?:que|bien)|notez"
        r"|garde en tête|important :)",
        r"\b(?:recuerda|recuerde|ten en cuenta|tenga en cuenta|acuérdate|no olvides|no te olvides|anota|apunta"
        r"|toma nota|importante:)",
        r"\b(?:lembr[ae](?:-te)?|tenha em mente|tem em conta|não (?:te )?esque[çc]a\w*|anot[ae]|guarda|importante:)\b",
        r"覚えて|忘れないで|メモして|記憶して|覚えておいて|念のため",
        r"记住|记得|别忘|不要忘|请注意|记下|记一下|牢记|备注",
    ),
    "asks_you": AnyOf(
        r"\b(?:please|kindly|you (?:may|should|must|can|shall|keep|always|never|need)|don['’]t|do not|could you"
        r"|would you|pls)\b",
        r"\b(?:bitte|du (?:sollst|darfst|musst|kannst)|mach|lass)\b",
        r"\b(?:s['’]il (?:te|vous) pla[iî]t|stp|svp|merci de|veuillez|tu (?:dois|peux)|évite|utilise|écris|mets|fais"
        r"|ne \w+ pas"
        r"|ne \w+ jamais)\b",
        r"\b(?:por favor|usa|utiliza|escribe|evita|pon|haz|no (?:uses|hagas|pongas|escribas|toques|me)|deja de)\b",
        r"\b(?:por favor|use|usa|escrev[ae]|evit[ae]|põe|coloque|faz|faça|não (?:use|faça|ponha|escreva|mexa)"
        r"|pare de)\b",
        r"ください|下さい|てほしい|て欲しい|お願い|しないで",
        r"请|麻烦|帮我|不要|别|你要|给我",
    ),
    "wish": AnyOf(
        r"\bi(?:['’]d|['’]m| would| do| really)*(?: not|n['’]t)? (?:much |rather |strongly )?(?:prefer|rather|want"
        r"|wish|like|hate|love|insist"
        r"|expect|dislike|care|allergic)\b|\bdrives me\b|\bmy (?:taste|preference)\b",
        r"\b(?:ich (?:möchte|will|mag|bevorzuge|hätte|wünsche|hasse)|mir (?:ist|wäre|gefällt)|lieber)\b",
        r"\bje (?:\w+ )?(?:préfère|préférerais|veux|voudrais|déteste|n['’]aime|souhaite)\b|\bj['’]aime\w*",
        r"\b(?:prefiero|preferiría|quiero|no quiero|me gusta|no me gusta|odio|me molesta)\b",
        r"\b(?:prefiro|preferia|quero|não quero|gosto|não gosto|odeio|gostaria)\b",
        r"方がいい|ほうがいい|好み|好きです|嫌い|ほしい|欲しい|希望",
        r"我(?:更)?(?:喜欢|希望|想要|不想|偏好|讨厌|宁愿|习惯)",
    ),
    "no": AnyOf(
        r"^\W*(?:(?:hm+|well|sorry|wait|hey|but|um|uh|oh|ok|ah)\W+)*(?:no|nope|nah|wrong|not|hold on|actually"
        r"|incorrect|stop|almost"
        r"|too \w+[.,]|careful|mistake)\b|\b(?:that['’]s|that is|this is|it['’]s|which is|value is|you(?:['’]re"
        r"| are)) (?:plain |simply |just )?"
        r"(?:wrong|not (?:true|right|quite|correct)|incorrect|false|outdated|the wrong)\b|\bis wrong\b|^you (?:wrote"
        r"|said|used|put|took|mixed"
        r"|forgot|keep|confused)\b",
        r"^\W*(?:(?:hm+|moment|halt|ach|äh|oh)\W+)*(?:nein|nö|ne|falsch|stimmt nicht|nicht|quatsch)\b|\b(?:ist"
        r"|das ist|stimmt) (?:so )?(?:falsch"
        r"|nicht (?:richtig|wahr|korrekt))\b",
        r"^\W*(?:(?:ah|euh|attends|hm+)\W+)*(?:non|faux|pas)\b|\bce n['’](?:est|était) pas\b|\bc['’]est faux\b"
        r"|\btu te trompes\b",
        r"^\W*(?:(?:eh|ah|espera|oye)\W+)*no\b|\b(?:está mal|es incorrecto|no es|te equivocas|incorrecto)\b",
        r"^\W*(?:(?:ah|espera|hm+)\W+)*(?:não|errado)\b|\b(?:está errado|não é|incorreto|te enganas)\b",
        r"^(?:いや|いいえ|違|ちが)|違います|間違|じゃないです|ではありません",
        r"^(?:不对|不是|错|等等|等一下)|不对|错了|弄错|搞错|不正确",
    ),
    "reason": AnyOf(
        r"\b(?:because|since|due to|otherwise|so that|reason|hence|therefore|that['’]s why|why:|in order|as (?:it"
        r"|they|we|the)|or else|else)\b"
        r"|[,;:–—-] (?:we|it|they|the|our|nobody|customers?|users?)\b",
        r"\b(?:weil|da|denn|sonst|deshalb|damit|wegen|grund)\b",
        r"\b(?:parce qu|car|puisqu|sinon|afin|à cause|pour (?:que|éviter)|raison)",
        r"\b(?:porque|ya que|pues|si no|para que|por eso|debido|puesto que|así)\b",
        r"\b(?:porque|pois|já que|senão|para que|por isso|devido|assim)\b",
        r"ので|から|ため|理由|せいで",
        r"因为|由于|否则|不然|所以|原因|免得|有意见",
    ),
    "report": AnyOf(
        r"\b(?:docs?|documentation|manual|guidelines?|blog|article|ticket|somebody|someone|colleague|page|readme"
        r"|tutorial|log|error) "
        r"(?:\w+ ){0,6}?(?:say|says|said|writes|wrote|reads|states|mentions?|claims?)\b|\bexample from\b"
        r"|^from the \w+ docs\b",
    ),
    "trouble": AnyOf(
        r"\b(?:fails?|failed|failing|crash\w*|errors?|broken|hangs?|slow\w*|bug|flaky|returns? 5\d\d|exception"
        r"|traceback|red|back again|is back"
        r"|not work\w*|doesn['’]t (?:work|start|build|run|pass|answer|load))\b",
        r"\b(?:kaputt|fehler|langsam|geht nicht|funktioniert nicht|plante|erreur|lent|marche pas|error|falla|lento"
        r"|não funciona|erro|lento)\b"
        r"|エラー|動かない|遅い|落ち|报错|失败|很慢|崩溃|坏了",
    ),
    "moment": AnyOf(
        r"\b(?:for now|right now|at the moment|this time|this one|for today|not (?:now|yet)|just this once"
        r"|in a minute|later|tonight|meanwhile"
        r"|until (?:we|i|then)|when (?:it['’]s|you['’]re) (?:done|clear|ready)|first thing|ping me|keep (?:digging"
        r"|going|looking)|one more time)\b",
        r"\b(?:erstmal|vorerst|gerade|diesmal|fürs erste|pour l['’]instant|cette fois|por ahora|esta vez"
        r"|por enquanto|desta vez)\b"
        r"|とりあえず|今回だけ|暂时|这次|先这样",
    ),
    "this_one": AnyOf(
        r"\b(?:this|that|these|those) (?:\w+ )?(?:file|folder|tests?|one|function|tables?|page|lines?|branch|example"
        r"|reports?|button|commit|diff|method|class|script|screen|variable|image|message|error|step|part|case|column)\b"
        r"|\bthe (?:first|second|third|last|other|next|attached|new|old|same|above|failing) \w+\b|\bin the example\b"
        r"|\bfor this\b|\bonce\b|\bagain\b|\bdies\w* (?:eine|tabelle|datei|zeile)|\bcet(?:te)? (?:fichier|ligne|page)"
        r"|\best[ea] (?:archivo|botón|tabla|arquivo|linha)|この(?:表|ファイル|行)|这个",
    ),
    "task": AnyOf(
        r"^(?:(?:ok(?:ay)?|please|can you|could you|now|then|and|so|pls|also|i want to|i['’]d like to)[\s,]+)*(?:run"
        r"|write|add|create"
        r"|make|fix|find|list|show|give|check|rename|remove|look|put|open|update|export|delete|commit|push|deploy|flash"
        r"|start|generate|format|translate|summari[sz]e|explain|compute|upload|change|move|replace|refactor|build"
        r"|test|try"
        r"|read|rewrite|clean|merge|revert|install|convert|implement|review|undo|compare|print|stop|let me)\b",
        r"^(?:bitte |kannst du )?(?:zeig|lass|starte|prüf|schau|formatiere|ändere|füge|lösche|erklär)\w*\b",
        r"^(?:peux-tu |tu peux )?(?:lance|relance|affiche|montre|corrige|ajoute|vérifie|change|supprime)\b",
        r"^(?:puedes )?(?:ejecuta|muestra|cambia|corrige|añade|revisa|borra|abre)\b",
        r"^(?:podes )?(?:mostra|corre|roda|muda|corrige|adiciona|verifica|apaga|abre)\b",
        r"(?:実行して|見せて|直して|追加して|変更して)(?:ください)?。?$|^(?:帮我|请?把|跑一下|看一下|改一下)",
    ),
    "chat": AnyOf(
        r"\b(?:makes sense|good (?:point|call|catch|question|idea|to know|thought|intuition)|fair (?:enough|point)"
        r"|interesting|curious|i remember"
        r"|i recall|i see\b|got it|i was (?:looking|digging|thinking|wondering)|noticed|sounds (?:good|like)|spot on"
        r"|exactly|i agree|thanks?"
        r"|that['’]s a (?:\w+ )?(?:good|great|solid|fair|relief|subtle)|feels? like|seems?|i(?:['’]ll| can| could"
        r"| will| am going to|['’]m going to)"
        r"|worth (?:a|adding|checking|exploring)|hey|hi|danke|merci|gracias|obrigad[oa])\b|ありがとう|谢谢",
    ),
    "plan": AnyOf(
        r"\b(?:we|you|it|i) (?:should|could|might|can|may) (?:\w+ )?(?:consider|definitely|probably|also|explore|add"
        r"|look|think|investigate|revisit"
        r"|expand|clarify|improve|open|want|be|need|have|try)\b|\b(?:draft|pr|pull request|to my list|follow up"
        r"|review it|refactor)\b",
    ),
    "past": AnyOf(
        r"\b(?:was|were|had|did|used to|originally|initially|introduced|added|back when|before that|at the time"
        r"|previously|(?:that|this) commit)\b",
    ),
    "specific": AnyOf(r"`[^`]+`|\b\w+[_/.]\w+|\b[A-Z]{2,}\w*\b|\b[a-z]+[A-Z]\w+|\d"),
    "number": AnyOf(
        r"(?<![\w`#])\d[\d.,:]*(?![\w`])|\d+ ?(?:%|ms|s|min|kb|mb|gb|hours?|days?|weeks?|characters?|px|dp)"
    ),
    "hash": AnyOf(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,12}\b|#\d{2,}"),
    "imperative": AnyOf(
        r"^(?:(?:ok(?:ay)?|so|and|then|but|also|please|yes|no|first|second|right|well)[\s,:;–—-]+)*(?:use|keep|put"
        r"|write|make|name|never|always|don['’]t|do"
        r" not|avoid|prefer|return|raise|drop|cap|round|ignore|compare|sort|count|store|leave|remove|add|run|ask"
        r"|show|stop|take|treat|log|skip|limit|set"
        r"|stick|answer|start|call|split|wrap|pass|reject|refuse|normali[sz]e|apply|order|pin|encode|strip|cite"
        r"|commit|test|document|explain|prefix|list)\b",
    ),
    "label": AnyOf(
        r"^(?:(?:ok(?:ay)?|so|and|also|well|hence|therefore)[\s,:]+)*(?:\w+ ){0,5}\w+:\s",
        r"^[^:：]{1,40}：",
        r"\b(?:decision|rule|convention|policy)\b",
    ),
    "our": AnyOf(
        r"\b(?:our|in this (?:repo|project|code ?base|team|app|shop)|here we|for us|with us|around here"
        r"|in the (?:repo|project|code ?base))\b",
        r"\b(?:bei uns|unsere?\w*|chez nous|nos?|notre|nuestr[oa]s?|noss[oa]s?|aquí|aqui)\b|うち|我们",
    ),
    "way": AnyOf(
        r"\b(?:comments?|commits?|messages?|branch(?:es)?|pull requests?|prs?|names?|naming|style|tests?|format"
        r"|docs?|documentation|indent\w*|"
        r"variables?|functions?|imports?|code|review|language|english|answers?|explain|changelog|log(?:s|ging)?|push"
        r"|diffs?|files?|tabs|quotes|types?)\b",
        r"\b(?:kommentare?|commits?|namen?|antworte\w*|sprache|stil|einheiten|commentaires?|réponses?|noms?|anglais"
        r"|comentarios?|nombres?|respuestas?"
        r"|inglés|comentários?|nomes?|respostas?|inglês|código)\b|コメント|コミット|変数|命名|英語|日本語|注释|提交|命名|日志|变量|中文|英文|回答",
    ),
    "thing": AnyOf(
        r"\b(?:customers?|users?|release|version|table|database|api|server|production|legal|security|payment|invoice"
        r"|orders?|service|deploy\w*|support"
        r"|data|storage|password|account|screen|page|app|report|device|board|job)\b",
    ),
    "right": AnyOf(
        r"\b(?:it['’]s|it is|is|are|use|uses|wants?|takes?|needs?|has|have|begins?|starts?|means|measures|owns?|does"
        r"|should be|goes?|lives?|comes?)\b",
        r"\b(?:ist|sind|heißt|gehört|braucht|beginnt|est|sont|es|son|é|são|está)\b|です|ます|是|在",
    ),
}
"""Patterns by sign: *specific*, *number* and *hash* are about the sentence's content, the others about its act."""

_IDLE: Final = AnyOf(
    r"[?？]\W*$",
    r"^(?:(?:so|and|but|ok|hmm+|well|hey)\W+)*(?:what|why|how|which|who|where|is|are|was|were|do|does|did|can|could"
    r"|should|shall|would|will) "
    r"(?:we|you|i|it|this|that|the|there|if|about|is|are|do|does|did|would|they)\b",
    r"^(?:(?:so|and|but|ok|hmm+|well)\W+)*when (?:is|are|was|were|do|does|did|can|could|should|shall|would|will)\b",
    r"\b(?:maybe|perhaps|probably|i guess|i think|i wonder|i['’]m wondering|not sure|might|hypothetically|imagine"
    r"|suppose|what if|if (?:we|i|you|it|they|\w+)"
    r" (?:\w+ )?(?:had|were|could|would|said)|would have|['’]d have|would be|could be|some ?day|(?:just"
    r"|only) (?:curious|thinking|kidding|wondering|to know|wanted to know)|thinking aloud|lol|haha\w*"
    r"|joke|joking|kidding|depends on|i don['’]t know|no idea|dreaming|i assume)\b|:-?D(?!\w)",
    r"\b(?:vielleicht|nur (?:so )?gefragt|könnten? (?:wir|man|du)|wäre|würde|keine ahnung|eventuell|irgendwann"
    r"|scherz|spaß|angenommen|falls wir|hätten?)\b",
    r"\b(?:peut-être|juste pour savoir|pourrait|pourrions|est-ce qu|serait|aurait|si on avait|je me demande|je pense"
    r"|un jour|blague|je rigole|qu['’]est-ce)\b",
    r"\b(?:quizás?|solo quería saber|tal vez|podríamos|deberíamos|sería|habría|me pregunto|creo que|algún día|broma"
    r"|si tuviéramos|a lo mejor)\b|^¿",
    r"\b(?:talvez|só queria saber|poderíamos|deveríamos|seria|teria|será que|me pergunto|acho que|um dia|brincadeira"
    r"|se tivéssemos)\b",
    r"かもしれ|でしょうか|ですか|ますか|だろう|もし|たぶん|多分|冗談|仮に|気がする",
    r"吗|呢[？?]?$|也许|可能|大概|要是|如果我们|假如|开玩笑|是不是|能不能|会不会|我觉得|哈哈|好像",
)


_ASKS_TO_REMEMBER: Final = AnyOf(
    r"^(?:(?:ok(?:ay)?|please|kindly|so|and|also|hey|dear \w+)[\s,:]+)*(?:please |kindly )?(?:remember|memori[sz]e"
    r"|keep in mind|bear in mind|take note|make a note|note"
    r"|don['’]t forget|do not forget|save (?:this|that)|(?:write|note) (?:this|that|it) down)(?::|,| this| that"
    r"| for (?:later|the future|next time)|$)(?! time| when)",
    r"^(?:\W*bitte )?(?:merk(?:e)? dir|merken|notier\w*|denk(?:e)? (?:bitte )?daran|vergiss nicht|nicht vergessen"
    r"|speicher\w* dir|behalte)\b(?!.*\bzu \w+en\W*$)",
    r"^(?:souviens-toi|souvenez-vous|retiens|retenez|note bien|notez|rappelle-toi|rappelez-vous"
    r"|n['’]oublie(?:z)? pas)\b(?! d(?:e |['’])\w+(?:er|ir|re)\b)",
    r"^(?:por favor,? )?(?:recuerda|recuerde|ten en cuenta|tenga en cuenta|acuérdate|anota|apunta|toma nota"
    r"|no (?:te )?olvides)\b(?! (?:de )?\w+[aei]r\b)",
    r"^(?:por favor,? )?(?:lembr[ae](?:-te|-se)?|tenha em mente|tem em conta|anot[ae]|guarda isto"
    r"|não (?:te )?esque[çc]a\w*)\b(?! (?:de )?\w+[aei]r\b)",
    r"覚えておいて|覚えておく|覚えといて|忘れないで|記憶して|メモしておいて",
    r"^(?:请)?(?:记住|记得(?!跑|运行|提交|测试)|牢记|记下|别忘了?|不要忘记|请注意|备注)",
)


def asks_to_remember(sentence: str) -> bool:
    """Tell whether *sentence* asks to remember something, and not to do something."""
    return bool(_ASKS_TO_REMEMBER.search(sentence)) and not is_noncommittal(sentence)


_REMEMBER: Final = AnyOf(
    r"^\W*(?:(?:ok(?:ay)?|please|kindly|so|and|also|hey|dear \w+)[\s,:]+)*(?:remember|memori[sz]e|keep in mind"
    r"|bear in mind|take note|make a note|note|don['’]t forget|do not forget|save (?:this|that)"
    r"|(?:write|note) (?:this|that|it) down)(?:\s+for (?:later|the future|next time))?[\s,:–—-]+"
    r"(?:(?:this|that)\b[\s,:–—-]*)?",
    r"^\W*(?:bitte )?(?:merk(?:e)? dir|merken|notier\w*(?: dir)?|denk(?:e)? (?:bitte )?daran|vergiss nicht"
    r"|nicht vergessen|speicher\w* dir|behalte)(?: bitte)?[\s,:–—-]+(?:dass?\b[\s,:–—-]*)?",
    r"^\W*(?:souviens-toi|souvenez-vous|retiens|retenez|note bien|notez|rappelle-toi|rappelez-vous"
    r"|n['’]oublie(?:z)? pas)[\s,:–—-]+(?:que\b\s*|qu['’])?",
    r"^\W*(?:por favor,? )?(?:recuerda|recuerde|ten en cuenta|tenga en cuenta|acuérdate|anota|apunta|toma nota"
    r"|no (?:te )?olvides|lembr[ae](?:-te|-se)?|tenha em mente|tem em conta|anot[ae]|guarda isto"
    r"|não (?:te )?esque[çc]a\w*)[\s,:–—-]+(?:(?:de )?que\b[\s,:–—-]*)?",
    r"^\W*(?:请)?(?:记住|记得|牢记|记下|别忘了?|不要忘记|请注意|备注)[\s,，:：]*",
)


def without_request_to_remember(sentence: str) -> str:
    """Return *sentence* without a request at its beginning to remember the rest."""
    found = _REMEMBER.search(sentence)
    return sentence[found.end() :] if found else sentence


_POLITE: Final = AnyOf(
    r"^(?:please,? )?(?:could|can|would|will) you (?:please |kindly |just )*(?:always|never|from now on|stop \w+ing"
    r"|avoid)\b(?!.*\b(?:kidding|joking|lol)\b)",
    r"[,.;] ?(?:ok|okay|right|agreed|yes|understood|alright|alles klar|verstanden|d['’]accord|vale|de acuerdo|certo"
    r"|combinado|好吗|ね)\?\W*$",
)
"""A request in the form of a question."""


def is_noncommittal(sentence: str) -> bool:
    """Tell whether *sentence* asks, supposes, doubts or jokes."""
    return bool(_IDLE.search(sentence)) and not _POLITE.search(sentence)


def signs_of(sentence: str) -> frozenset[str]:
    """Return the names of the signs in *sentence*."""
    return frozenset(name for name, patterns in SIGNS.items() if patterns.search(sentence))
