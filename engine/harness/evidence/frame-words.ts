/** What stands before the verb of a request. */
export const POLITE = `please|pls|kindly|can you|could you|would you|will you|can you please|could you please|would you please|
  i want you to|i would like you to|i'd like you to|i need you to|then|and|and then|also|now|bitte|kannst du|könntest du|
  können sie|könnten sie|würdest du|würden sie|kannst du bitte|könntest du bitte|können sie bitte|könnten sie bitte|und|
  dann|s'il te plaît|s'il vous plaît|peux-tu|pouvez-vous|pourrais-tu|pourriez-vous|et|por favor|puedes|puede|podrías|
  podría|per favore|puoi|può|potresti|potrebbe|você pode|pode|poderia|kun je|kunt u|wil je|wilt u|proszę|możesz|czy możesz|
  kan du|kunne du|kan ni|snälla|vänligen|venligst|vennligst|пожалуйста|можешь|можете|请|請|麻烦|麻烦你|hi|hello|hey|hallo`;

/** Languages in which the verb of a request may come last. */
export const VERB_LAST = `bitte|kannst du|könntest du|können sie|könnten sie|würdest du|würden sie|kun je|kunt u|wil je|wilt u`;

/** Looking for something: begins a request for facts. */
export const SEARCH = `search|find|find out|look up|look for|look through|go through|list|count|such|suche|suchen|durchsuche|
  durchsuchen|finde|finden|cherche|cherchez|chercher|trouve|trouvez|trouver|liste|busca|busque|buscar|encuentra|encuentre|
  cerca|cerchi|cercare|trova|trovi|trovare|procure|procurar|encontre|zoek|zoeken|vind|szukaj|wyszukaj|znajdź|sök|hitta|
  søg|finn|найди|найдите|поищи|поищите|搜索|查找|搜一下|検索して|検索してください|探して|探してください|찾아|검색`;

/** Looking at something that is named. */
export const LOOK = `${SEARCH}|check|read|open|look at|look into|investigate|examine|compare|verify|tell me|show me|summarise|
  summarize|prüfe|prüf|prüfen|überprüfe|lies|lesen|öffne|öffnen|schau|schaue|sieh|vergleiche|untersuche|sag mir|zeig mir|
  fasse|vérifie|vérifiez|vérifier|lis|lisez|lire|ouvre|ouvrez|regarde|regardez|compare|comparez|dis-moi|résume|revisa|
  revise|comprueba|compruebe|verifica|lee|lea|leer|abre|abra|mira|mire|compara|dime|resume|controlla|controlli|verifica|
  leggi|legga|apri|guarda|confronta|dimmi|riassumi|verifique|leia|abra|veja|compare|diga-me|controleer|lees|lezen|kijk|
  vergelijk|sprawdź|przeczytaj|otwórz|porównaj|kolla|kontrollera|läs|öppna|jämför|tjek|læs|åbn|sjekk|les|åpne|проверь|
  проверьте|прочитай|прочитайте|открой|сравни|检查|查看|阅读|读|確認して|確認してください|調べて|調べてください|読んで|読んでください|확인|읽어`;

export const WHY = `why|how come|what caused|warum|wieso|weshalb|pourquoi|por qué|perché|por que|waarom|dlaczego|varför|hvorfor|
  почему|为什么|なぜ|왜`;

/** Own mail as a place to look in; the mail at hand is never meant by these. */
export const MAIL_PLACES = `mailbox|inbox|my mails|my emails|my e-mails|your mails|your emails|our mails|our emails|earlier mails?|
  earlier emails?|old mails|old emails|all mails|all emails|past emails|previous emails|correspondence|mails from|emails from|
  postfach|posteingang|meinen mails|meinen e-mails|deinen mails|alten mails|früheren mails|frühere mails|mails von|e-mails von|
  schriftverkehr|boîte mail|boîte de réception|mes mails|mes courriels|mes e-mails|correspondance|buzón|bandeja de entrada|
  mis correos|correspondencia|casella di posta|posta in arrivo|mie email|corrispondenza|caixa de entrada|meus e-mails|
  postvak|mijn mails|mijn e-mails|skrzynce|skrzynkę|poczcie|inkorg|inkorgen|mina mejl|indbakke|innboks|почте|ящике|письмах|
  受信箱|過去のメール|收件箱|以前的邮件|받은편지함`;

/** Own files as a place to look in. */
export const FILE_PLACES = `my files|your files|our files|the files|the folder|my folder|your folder|my notes|your notes|
  meinen dateien|deinen dateien|den dateien|dem ordner|meinen notizen|deinen notizen|mes fichiers|tes fichiers|vos fichiers|
  le dossier|mis archivos|tus archivos|los archivos|la carpeta|miei file|tuoi file|la cartella|meus arquivos|seus arquivos|
  a pasta|mijn bestanden|je bestanden|de map|moich plikach|twoich plikach|plikach|mina filer|dina filer|mine filer|dine filer|
  моих файлах|твоих файлах|файлах|папке|ファイルの中|我的文件|文件夹|내 파일`;

/** A file by its name. The look-behind keeps addresses and URLs out. */
export const FILE_NAME =
  /(?<![\p{L}\p{N}@/.:_-])(?:[\p{L}\p{N}_-][\p{L}\p{N}_. -]{0,60}?\/)*[\p{L}\p{N}_-][\p{L}\p{N}_.-]{0,80}\.(?:md|txt|csv|tsv|pdf|docx?|xlsx?|pptx?|odt|ods|json|xml|ya?ml|log|html?|eml|rtf)(?![\p{L}\p{N}@-]|\.[\p{L}\p{N}])/giu;

/** The whole clause says that nothing is to be changed. A part of something ("anything in the contract") is not nothing. */
export const HANDS_OFF = `(?:please )?(?:do not|don't|never) (?:change|modify|edit|touch|alter|send|write|delete|do)(?:(?:,| or| and) (?:change|
  modify|edit|touch|alter|send|write|delete))* anything(?: yet| for now| please| at all)?|without (?:changing|modifying|touching) 
  anything|(?:this is )?read[- ]only(?:,? please)?|(?:just|only) (?:look|read)(?:,? please)?|(?:bitte )?(?:ändere|verändere|lösche|sende|
  schicke|ändern sie|verändern sie) (?:bitte )?(?:noch |erstmal |vorerst )?nichts|(?:bitte )?nichts (?:ändern|verändern|löschen|
  senden|verschicken)|ohne etwas zu (?:ändern|verändern)|nur (?:lesen|ansehen|anschauen|schauen)|ne (?:change|changez|modifie|modifiez|
  touche|touchez)(?: à)? rien|sans rien (?:changer|modifier)|lecture seule|no (?:cambies|cambie|modifiques|modifique|toques|toque) 
  nada|sin (?:cambiar|modificar) nada|solo lectura|non (?:cambiare|modificare|toccare) (?:niente|nulla)|senza (?:cambiare|modificare) 
  (?:niente|nulla)|sola lettura|não (?:altere|mude|modifique) nada|sem (?:alterar|mudar) nada|somente leitura|(?:verander|wijzig) 
  niets|niets (?:veranderen|wijzigen)|alleen lezen|(?:nic|niczego) nie zmieniaj|tylko do odczytu|ändra (?:inget|ingenting)|
  (?:ændr|endre) (?:ingenting|intet|ikke noget)|ничего не (?:меняй|меняйте|изменяй|изменяйте)|只读|不要(?:更改|修改|改动)任何(?:东西|内容|文件)|
  何も変更しないで(?:ください)?|読み取り専用で`;

/** What is wanted is a text: what it then says is not a report about what was done. */
export const PRODUCE = `draft|shorten|improve|polish|simplify|expand|reword|prepare|generate|review|fix|kürze|verbessere|überarbeite|vereinfache|
  raccourcis|raccourcissez|améliore|améliorez|corrige|corrigez|prépare|préparez|acorta|acorte|mejora|mejore|corrige|corrija|prepara|prepare|
  accorcia|migliora|correggi|encurte|melhore|corrija|verkort|verbeter|skróć|popraw|förkorta|förbättra|forkort|forbedre|сократи|
  улучши|исправь|缩短|润色|短くして|直して|compose|rewrite|rephrase|translate|proofread|correct|summarise|summarize|write (?:a|an|me|the|my|us)|
  entwurf|entwirf|formuliere|formulier|umformulieren|übersetze|übersetz|übersetzen|übersetzung|korrigiere|schreib(?:e|en)? (?:mir|eine|
  einen|ein|uns)|fasse|zusammenfassung|rédige|rédigez|traduis|traduisez|traduction|reformule|résume|écris|écrivez|redacta|
  traduce|traduzca|traducción|resume|escribe|escriba|reescribe|scrivi|traduci|riscrivi|riassumi|escreva|traduza|resuma|schrijf|
  vertaal|herschrijf|samenvatting|napisz|przetłumacz|streść|skriv|översätt|oversæt|oversett|напиши|напишите|переведи|
  переведите|翻译|写一|起草|翻訳|書いて|要約|번역|써 줘|작성`;

export const SINCE = `since|seit|seit dem|depuis|depuis le|desde|desde el|dal|da|sinds|od|sedan|siden|с|со|自`;
