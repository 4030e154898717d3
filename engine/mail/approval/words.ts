/** Words and phrases by what they do in an answer, in the languages people write to us in; `|` between them. */
export const WORDS = {
  approve: `approval granted|approval given|you have my approval|von mir aus ok|tak jest|va bene così|ตกลง|approve|
    ok for me|okay for me|ok by me|ok with me|fine by me|fine with me|ok from my side|i'm ok with|i am ok with|
    i'm okay with|i am okay with|i'm fine with|für mich ok|für mich okay|von mir ok|ok pour moi|ok per me|
    voor mij ok|approved|this is approved|it is approved|approving|accept|accepted|agree|agreed|i agree|confirm|
    confirmed|authorize|authorized|authorise|authorised|permission granted|genehmigt|genehmige|genehmigen|
    genehmige ich|freigegeben|freigabe erteilt|einverstanden|bin einverstanden|ich bin einverstanden|stimme zu|
    ich stimme zu|zugestimmt|bestätigt|bestätige|erlaubt|approuve|approuvé|approuvée|approuver|j'approuve|
    c'est approuvé|j'accepte|accepté|accordé|validé|je valide|d'accord|je suis d'accord|c'est d'accord|autorisé|
    j'autorise|apruebo|aprobado|aprobada|aprobar|lo apruebo|de acuerdo|estoy de acuerdo|autorizo|autorizado|
    confirmo|confirmado|acepto|approvo|approvato|approvata|lo approvo|d'accordo|sono d'accordo|autorizzo|
    autorizzato|confermo|confermato|va bene|aprovo|aprovado|aprovada|aprove|concordo|está aprovado|zatwierdzam|
    zatwierdzone|zatwierdzono|zgoda|zgadzam się|akceptuję|potwierdzam|akkoord|goedgekeurd|goedkeuren|
    ik keur het goed|mee eens|ik ga akkoord|ga akkoord|godkänn|godkänd|godkänt|godkänner|jag godkänner|godkend|
    godkendt|godkender|jeg godkender|godkjenn|godkjent|godkjenner|hyväksy|hyväksyn|hyväksytty|hyväksytään|schvaluji|
    schváleno|souhlasím|schvaľujem|súhlasím|jóváhagyom|jóváhagyva|elfogadom|aprob|aprobat|sunt de acord|de acord|
    odobravam|odobreno|одобряю|одобрено|утверждаю|утверждено|согласен|согласна|подтверждаю|разрешаю|схвалюю|
    затверджую|погоджуюсь|εγκρίνω|εγκρίνεται|συμφωνώ|onaylıyorum|onaylandı|onayla|kabul ediyorum|承認|承認する|承認します|
    承認いたします|承認しました|了承|了承します|了承しました|同意|同意します|許可します|我同意|批准|我批准|核准|准许|通过批准|승인|승인합니다|승인함|승인해요|동의|동의합니다|확인|موافق|موافقة|
    أوافق|מאשר|מאשרת|מאושר|स्वीकृत|मंज़ूर|đồng ý|chấp thuận|phê duyệt|อนุมัติ|setuju|disetujui|saya setuju`,
  yes: `jup|japp|ja hoor|ок|окей|yes|yep|yeah|yup|aye|ok|okay|okey|oke|okej|okei|alright|ja|jawohl|jep|jo gerne|oui|
    ouais|sí|si|sì|sim|ano|áno|joo|kyllä|da|да|так точно|ναι|evet|tamam|はい|okです|ええ|好|好的|可以|是|是的|行|好吧|네|예|نعم|כן|हाँ|
    हां|oké|ok'd|jes`,
  tak: 'tak|igen|так',
  goAhead: `doe maar|go ahead|you can go ahead|you may go ahead|you may proceed|you can proceed|feel free to proceed|
    please go ahead|proceed|please proceed|go for it|do it|please do|please do it|carry on|mach das|mach es|
    machen sie das|los|allez-y|vas-y|adelante|procedi|pode prosseguir|ga je gang|kör på|進めてください`,
  deny: `none|none of them|none of these|hell no|i say no|kabul etmiyorum|neaprobat|nu aprob|nu sunt de acord|
    không đồng ý|tidak setuju|nem fogadom el|no de acuerdo|kann ich nicht genehmigen|ich kann das nicht genehmigen|
    wird nicht genehmigt|keine freigabe|kein ok|承認不可|未承認|非承認|未批准|승인 거부|승인 불가|승인하지 않음|not permitted|not allowed|
    permission denied|deny|denied|i deny|reject|rejected|i reject|decline|declined|refuse|refused|disapprove|
    disapproved|disagree|forbid|forbidden|veto|don't send|do not send|don't do that|do not do that|don't do this|
    do not do this|please don't|please do not|rather not|i'd rather not|better not|absolutely not|definitely not|
    certainly not|of course not|bitte nicht|lieber nicht|besser nicht|auf keinen fall|surtout pas|mejor no|
    meglio di no|ablehnen|abgelehnt|ablehnung|lehne ab|ich lehne ab|ich lehne das ab|verweigert|verboten|untersagt|
    nicht freigegeben|kommt nicht in frage|refusé|refusée|refuser|je refuse|rejeté|rejeter|refus|
    ne suis pas d'accord|je ne suis pas d'accord|n'approuve pas|je n'approuve pas|rechazado|rechazada|rechazar|
    rechazo|lo rechazo|denegado|denegada|no apruebo|no lo apruebo|no aprobado|no autorizo|no autorizado|
    no estoy de acuerdo|rifiuto|rifiutato|rifiutata|respinto|respinta|negato|non sono d'accordo|non va bene|
    recusado|recusada|recuso|rejeitado|rejeitada|negado|não concordo|odrzucam|odrzucone|odmawiam|nie zgadzam się|
    afgewezen|afwijzen|geweigerd|weiger|niet akkoord|niet mee eens|avslå|avslag|avslaget|avvisad|avvisa|nekad|
    avvist|afvist|afslået|afvis|nægtet|hylkää|hylätty|hylkään|en hyväksy|ei hyväksytä|zamítám|zamítnuto|nesouhlasím|
    neschvaluji|zamietam|elutasítom|elutasítva|resping|respins|odbijam|отклоняю|отклонено|отказ|отказано|запрещаю|
    відхиляю|відмовлено|απορρίπτω|απορρίπτεται|δεν εγκρίνω|reddet|reddediyorum|reddedildi|onaylamıyorum|却下|却下します|拒否|
    拒否します|否認|否認します|不承認|承認しない|承認しません|承認できません|許可しません|不可|ダメ|だめ|拒绝|我拒绝|不同意|我不同意|不批准|不可以|不行|不准|驳回|否决|거부|거부합니다|거절|거절합니다|
    반려|승인하지 않습니다|승인 안 함|불허|동의하지 않습니다|مرفوض|أرفض|لا أوافق|נדחה|לא מאשר|לא מאשרת|अस्वीकृत|từ chối|ไม่อนุมัติ|ปฏิเสธ|
    tolak|ditolak`,
  no: `no|nope|nah|no way|nein|nö|nee|nej|nei|いいえ|いや|不|不是|不要|不好|아니요|아니오|아뇨|لا|לא|नहीं|không|ไม่|ไม่ใช่|όχι|нет|ні|
    hayır|tidak`,
  noOrNot: 'non|não|nie|ne|ei|nem',
  not: `not|don't|dont|do not|does not|doesn't|did not|didn't|am not|i'm not|is not|isn't|never|cannot|can't|can not|
    cant|won't|wont|will not|wouldn't|would not|shouldn't|should not|must not|mustn't|no longer|neither|nor|hardly|
    barely|nicht|niemals|nie und kein|keine|keinen|keinesfalls|pas|n'est pas|ne pas|jamais|nunca|jamás|tampoco|mai|
    nemmeno|nunca mais|nigdy|niet|nooit|geen|inte|aldrig|ikke|ikkje|aldri|не|ні в якому разі|никогда|nikdy|soha|
    niciodată|δεν|μην|asla|değil|しない|しません|ません|ない|没|没有|别|勿|안|않|못|ليس|अस्वीकार|unapproved`,
  unclear: `no problem|no problems|no problemo|no objection|no objections|no worries|no issue|no issues|no concerns|
    no complaints|no questions|no doubt|not a problem|not bad|why not|not sure|not yet|no need|no rush|
    nothing against|kein problem|keine probleme|keine einwände|kein einwand|keine bedenken|nichts dagegen|
    warum nicht|noch nicht|nicht schlecht|nicht sicher|keine ahnung|pas de problème|pas de souci|aucun problème|
    aucune objection|pourquoi pas|pas encore|sin problema|sin problemas|ningún problema|por qué no|todavía no|
    aún no|nessun problema|perché no|non ancora|sem problema|sem problemas|ainda não|nie ma problemu|geen probleem|
    geen bezwaar|waarom niet|nog niet|inga problem|varför inte|inte än|ikke noget problem|ikke endnu|нет проблем|
    без проблем|не возражаю|почему нет|пока нет|ещё нет|問題ない|問題ありません|没问题|没意见|문제없습니다|문제 없습니다|nessuna obiezione|
    bez problemu|tuskin`,
  hold: `but|if|only|unless|except|excluding|apart|after|afterwards|before|when|whenever|once|until|till|however|though|
    although|provided|providing|assuming|suppose|rather|first|then|else|otherwise|wait|hold|hold on|pause|stop|halt|
    cancel|actually|maybe|perhaps|possibly|probably|might|could|would|should|conditionally|condition|pending|undo|
    revoke|ignore|disregard|careful|retract|withdraw|nevermind|never mind|sorry wait|aber|wenn|falls|nur|sofern|
    soweit|außer|ausser|erst|nachdem|nach|bevor|vor|sobald|bis|jedoch|allerdings|vorausgesetzt|sonst|ansonsten|dann|
    warte|warten|wart|moment|stopp|abbrechen|vielleicht|eigentlich|könnte|würde|sollte|zurück|eher|vorerst|noch|
    mais|sauf|seulement|attends|attendez|d'abord|après|avant|lorsque|quand|jusqu'à|cependant|toutefois|pourvu|sinon|
    plutôt|arrête|annule|annuler|pero|excepto|salvo|sólo|solo|solamente|espera|espere|cuando|después|antes|hasta|
    aunque|siempre que|primero|luego|quizás|tal vez|ma|però|se|soltanto|aspetta|aspetti|tranne|eccetto|dopo|prima|
    quando|finché|purché|forse|mas|exceto|somente|apenas|depois|até|porém|primeiro|talvez|ale|jeśli|jeżeli|gdy|
    tylko|poczekaj|czekaj|oprócz|dopiero|potem|najpierw|może|maar|als|indien|mits|alleen|wacht|behalve|nadat|
    voordat|totdat|eerst|anders|men|om|bara|endast|utom|vänta|efter|innan|först|sedan|kun|bare|hvis|vent|undtagen|
    bortset|unntatt|før|når|mutta|jos|vain|odota|paitsi|vasta|ennen|ale jen|pokud|jen|počkej|kromě|ha|csak|várj|
    kivéve|dar|dacă|numai|așteaptă|но|если|только|подожди|подождите|стой|кроме|после|сначала|однако|потом|может|але|
    якщо|тільки|зачекай|αλλά|αν|μόνο|περίμενε|εκτός|ama|eğer|sadece|bekle|ancak|hariç|önce|sonra|但|但是|如果|先|等|等等|等一下|
    只|只有|除了|不过|然后|以后|之前|之后|でも|ただし|もし|なら|条件|待って|待ってください|ちょっと待って|先に|だけ|一旦|保留|하지만|만약|다만|먼저|잠깐|잠시만|보류|لكن|إذا|فقط|انتظر|
    אבל|אם|רק|חכה|लेकिन|अगर|nhưng|nếu|แต่|ถ้า|tapi|jika|hanya`,
  alter: `delay|postpone|withdrawn|withdraw it|kidding|joking|joke|just kidding|jk|lol|haha|hahaha|scrap|scratch|forget|
    forget it|abort|aborted|void|cancelled|canceled|reverted|revert|storno|scherz|spaß|vergiss|egal|quatsch|
    widerruf|widerrufen|zurückgezogen|oubliez|oublie|blague|olvida|olvídalo|broma|cancelado|anula|scherzo|annulla|
    annullato|dimentica|esquece|esqueça|brincadeira|cancelar|żart|anuluj|zapomnij|grapje|annuleer|vergeet|skämt|
    avbryt|glöm|glem|шутка|отмена|отмени|забудь|eom|asap|fyi|btw|tbc|tbd|wip|oops|ups|hmm|hm|äh|add|send|use|make|
    include|exclude|attach|delete|move|set|put|update|write|tell|ask|check|cc|bcc|forward|reply|schedule|reschedule|
    book|increase|decrease|raise|lower|cut|keep|leave|skip|let|switch|adjust|reduce|only to|füge|sende|senden|
    schick|schicke|nimm|setze|mache|nutze|verwende|schreib|schreibe|frag|frage|prüfe|ersetze|lösche|verschiebe|
    ajoute|ajoutez|envoie|envoyez|mets|mettez|supprime|añade|envía|pon|quita|aggiungi|invia|metti|togli|adicione|
    envie|troque|dodaj|wyślij|zmień|usuń|voeg|stuur|verander|verwijder|lägg|skicka|ändra|добавь|отправь|измени|
    удали|замени|غير|عدل|שנה|תשנה|बदलो|बदलें|change|changed|changes|correct|fix|replace|remove|without|later|
    tomorrow|today|tonight|soon|next|draft|test|monday|tuesday|wednesday|thursday|friday|saturday|sunday|mistake|
    wrong|error|revised|stattdessen|ändern|ändere|geändert|bitte ändern|ohne|später|morgen|heute|montag|dienstag|
    mittwoch|donnerstag|freitag|samstag|sonntag|entwurf|falsch|irrtum|changer|modifier|sans|demain|lundi|mardi|
    mercredi|jeudi|vendredi|samedi|dimanche|cambia|cambiar|sin|mañana|lunes|martes|miércoles|jueves|viernes|senza|
    domani|lunedì|martedì|mercoledì|giovedì|venerdì|amanhã|jutro|zonder|завтра|修改|改|改成|明天|変更|修正|後で|明日|변경|수정|나중에|내일|
    instead|invece`,
  because: `because|since|as|reason|the reason|weil|denn|grund|begründung|car|parce que|parce qu'il|raison|porque|motivo|
    razón|perché|pois|ponieważ|bo|powód|omdat|want|reden|eftersom|därför att|fordi|koska|protože|mert|pentru că|
    потому что|так как|причина|тому що|διότι|επειδή|çünkü|因为|理由|原因|なぜなら|왜냐하면|이유|لأن|כי|क्योंकि|vì|เพราะ|karena`,
  edit: `edit|amend|modify|bearbeiten|bearbeite|editieren|modifie|modifiez|éditer|editar|edita|modifica|edytuj|bewerken|
    redigera|rediger|muokkaa|upravit|редактировать|編集|编辑|편집`,
  all: `all|everything|every|all of them|all of it|all of these|alle|alles|allem|allen|tout|tous|toutes|todo|todos|
    todas|tutto|tutti|tutte|tudo|wszystko|wszystkie|allt|alla|alt|kaikki|vše|všechno|mindent|toate|все|всё|всі|όλα|
    hepsi|hepsini|全部|所有|都|すべて|全て|全件|모두|전부|전체|الكل|הכל|सभी|tất cả|ทั้งหมด|semua`,
  both: 'both|beide|beides|beiden|les deux|ambos|ambas|entrambi|entrambe|oba|båda|begge|molemmat|両方|둘 다|оба',
  item: `item|items|nr|number|numbers|num|call|calls|action|actions|request|requests|point|points|position|positionen|
    punkt|punkte|punkten|nummer|nummern|aktion|aktionen|anfrage|anfragen|numéro|número|numero|punto|punti|punkty|
    pkt|punten|番号|пункт|пункты|номер`,
  and: 'and|und|sowie|plus|et|y|e|oraz|en|och|og|sekä|и|та|και|ve|と|および|和|跟|及|과|와|و|ו|और|và|และ|dan',
  to: 'to|for|with|zu|für|zum|pour|para|a la|per|a|dla|voor|för|til|для',
  counter: '番|号|號|번|호',
  particle: 'を',
  object: `it|this|that|this one|that one|these|them|those|of them|of these|the|das|dies|diese|dieses|diesen|es|le|la|les|
    ça|cela|lo|esto|eso|questo|to wszystko|het|dit|dat|det|это|este|isto`,
  we: 'i|we|i do|i hereby|hereby|ich|wir|hiermit|je|nous|yo|io|eu|ik|jag|jeg|я|мы|我',
  please: `please|pls|plz|bitte|bitte schön|s'il vous plaît|s'il te plaît|svp|stp|por favor|per favore|per piacere|proszę|
    alsjeblieft|alstublieft|graag|tack gärna|gerne|gern|prosím|пожалуйста|будь ласка|お願いします|お願いいたします|请|請|부탁합니다|
    부탁드립니다|lütfen|من فضلك|בבקשה|kérem|vă rog`,
  thanks: `thanks|thank you|thankyou|thx|ty|many thanks|much appreciated|danke|dankeschön|danke schön|vielen dank|
    besten dank|herzlichen dank|danke dir|danke ihnen|merci|merci beaucoup|merci bien|gracias|muchas gracias|grazie|
    grazie mille|molte grazie|obrigado|obrigada|muito obrigado|muito obrigada|dziękuję|dziękuje|dzięki|bedankt|
    dank je|dank u|dankjewel|dank je wel|hartelijk dank|tack|tack så mycket|mange tak|takk|tusen takk|kiitos|
    paljon kiitoksia|děkuji|díky|ďakujem|köszönöm|mulțumesc|hvala|спасибо|большое спасибо|дякую|ευχαριστώ|
    teşekkürler|teşekkür ederim|sağ ol|ありがとう|ありがとうございます|有難うございます|謝謝|谢谢|多谢|谢谢你|감사합니다|고맙습니다|شكرا|שכרא|תודה|धन्यवाद|
    cảm ơn|ขอบคุณ|terima kasih|cheers for that|appreciated`,
  thanksMore: `again|so much|very much|a lot|a bunch|a million|for asking|for checking|for the heads up|for letting me know|
    for waiting|for the reminder|for your help|for the help|for your work|in advance|nochmal|für die nachfrage|
    fürs nachfragen|für die info|für die hilfe|im voraus|d'avance|pour l'info|de antemano|anticipadamente|mille|bien`,
  praise: `great|good|perfect|excellent|nice|wonderful|super|fine|sure|looks good|looks fine|looks great|all good|lgtm|
    sounds good|good work|great work|nice work|well done|that's fine|that is fine|that's ok|that is ok|it's fine|
    it is fine|all fine|this is fine|that works|of course|certainly|absolutely|definitely|indeed|gut|sehr gut|toll|
    passt|passt so|sieht gut aus|klar|natürlich|in ordnung|geht klar|alles klar|selbstverständlich|gute arbeit|
    parfait|très bien|c'est bon|bien sûr|perfecto|muy bien|vale|claro|por supuesto|perfetto|ottimo|benissimo|certo|
    perfeito|muito bem|claro que sim|świetnie|dobrze|goed|bra|perfekt|fint|hyvä|skvělé|хорошо|отлично|конечно|добре|
    καλά|güzel|很好|没错|了解|了解です|了解しました|承知しました|承知いたしました|いいです|いいよ|大丈夫|大丈夫です|結構です|좋아요|좋습니다|알겠습니다`,
  sorry:
    "sorry|unfortunately|i am afraid|i'm afraid|leider|tut mir leid|désolé|malheureusement|lo siento|lamentablemente|purtroppo|mi dispiace|infelizmente|niestety|helaas|tyvärr|desværre|к сожалению|申し訳ありません|申し訳ないですが|すみません|抱歉|对不起|죄송합니다",
  hello: `hi|hello|hey|dear|good morning|good afternoon|good evening|greetings|hallo|guten tag|guten morgen|guten abend|
    moin|servus|grüß gott|liebe|lieber|liebes|sehr geehrte|sehr geehrter|bonjour|bonsoir|salut|chère|cher|hola|
    buenos días|buenas tardes|buenas|estimada|estimado|querida|ciao|buongiorno|buonasera|cara|olá|oi|bom dia|
    boa tarde|cześć|dzień dobry|witam|goedemorgen|goedemiddag|goedendag|beste|hej|hejsan|god morgon|hei|ahoj|
    dobrý den|szia|bună|bună ziua|здравствуйте|привет|добрый день|доброе утро|добрий день|γεια σας|γεια|merhaba|
    selam|こんにちは|おはようございます|お疲れ様です|お疲れさまです|お世話になっております|你好|您好|早上好|안녕하세요|안녕|مرحبا|السلام عليكم|שלום|नमस्ते|xin chào|
    สวัสดี|halo`,
  closing: `best|best regards|kind regards|warm regards|regards|best wishes|all the best|yours|yours sincerely|sincerely|
    yours faithfully|cheers|warmly|take care|have a nice day|have a good day|talk soon|br|kr|rgds|viele grüße|
    beste grüße|liebe grüße|freundliche grüße|mit freundlichen grüßen|mit freundlichem gruß|mit besten grüßen|
    schöne grüße|herzliche grüße|grüße|gruß|schönen gruß|lieben gruß|mfg|vg|lg|bg|schönen tag|schönen tag noch|
    cordialement|bien cordialement|bien à vous|salutations|meilleures salutations|bonne journée|bises|cdlt|saludos|
    un saludo|saludos cordiales|atentamente|un abrazo|cordiali saluti|distinti saluti|saluti|un saluto|
    buona giornata|cumprimentos|com os melhores cumprimentos|atenciosamente|abraços|abraço|pozdrawiam|pozdrowienia|
    z poważaniem|z wyrazami szacunku|groeten|groetjes|met vriendelijke groet|met vriendelijke groeten|
    vriendelijke groet|mvg|hälsningar|med vänliga hälsningar|vänliga hälsningar|mvh|hilsen|med venlig hilsen|
    venlig hilsen|vennlig hilsen|med vennlig hilsen|terveisin|ystävällisin terveisin|s pozdravem|pozdrav|
    üdvözlettel|cu stimă|с уважением|с наилучшими пожеланиями|з повагою|με εκτίμηση|χαιρετισμούς|saygılarımla|
    iyi çalışmalar|よろしくお願いします|よろしくお願いいたします|宜しくお願いします|宜しくお願い致します|敬具|此致|敬礼|此致敬礼|祝好|顺祝商祺|드림|올림|수고하세요|مع أطيب التحيات|
    בברכה`,
};
