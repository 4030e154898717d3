/**
 * What looks like a yes and is none, to the question whether a mail may be sent to bob@example.org: written down language by language, without a
 * look at the vocabulary. One a line; none of them may let anything through.
 */
export const NEAR_MISSES: Readonly<Record<string, string>> = {
  en: `yes, I saw it
yes, no
yes no
yes?
yes??
yes...
sure…
sure sure
yeah right
yeah, no
if Bob agrees, yes
yes if Bob agrees
yes, unless he already wrote
not yet
yesterday
yesterday was fine
okay I will look at it later
ok, will check
noted
noted, thanks
got it 👍🏽 will read it
I think so
yes I think so
maybe yes
yes but not now
yes, tomorrow
yes, with 90 instead of 80
don’t send
dont send it
do not go ahead
nope, go ahead without me
noo
Yes, for 4,000 EUR
Yes, only the first half
could you send it to me first?
can you send it tomorrow please?
could you not send it please
yes, make it 10 lamps
yes, check the price
ok, show me the text
Bob said yes
He wrote "yes, go ahead"
> yes
thanks for the info
ok who is Bob?
yes when I am back
I would say yes but ask Tim
yes, and delete the other one
aproved by nobody
disaprove
unaproved
let it go
sent it
sent it already
that's okay
it's ok, thanks
go on
shoot
right
knock yourself out
that will do, thanks
that can go
I can confirm
send the other one
send the old version
yes, note that the price is 300`,
  de: `ja, gelesen
ja, hab ich gesehen
ja nein
ja, nein
ja?
ja…
jein
jaja
ja ja klar…
Wenn Bob zustimmt, ja
ja, wenn Bob zustimmt
ja, falls er noch nicht geschrieben hat
noch nicht
ja, aber noch nicht
gestern
ja, gestern
ok, schau ich mir später an
zur Kenntnis genommen
gelesen
denke schon
ja denke ich
ich glaube ja
vielleicht ja
ja, morgen
ja, ab Montag
ja, mit 90 statt 80
nicht senden
bitte nciht senden
bitte nich abschicken
nein mach nur
neiin
ja, für 4.000 Euro
ja, nur die erste Hälfte
kannst du sie erst mir schicken?
kannst du sie bitte morgen schicken?
könntest du sie bitte nicht senden?
ja, mach 10 Lampen draus
ja, prüf den Preis
ok, zeig mir den Text
Bob hat ja gesagt
„Ja, mach das“ hat er geschrieben
danke für die Info
ok, wer ist Bob?
ja, sobald ich zurück bin
von wegen ja
ja, und lösch die andere
im Prinzip ja
ja ungern
genehmgt nicht
kein Ja
ja, schick es an Tim
ja ohne Anhang
meinetwegen
mach halt
na gut
lass los
hau rein
kann man so machen
stimmt
jo eh
wie besprochen
machen
soll mir recht sein
darfst du`,
  fr: `oui, vu
oui, je l’ai lu
oui non
oui, non
oui ?
oui…
si Bob est d’accord, oui
oui si Bob est d’accord
oui, sauf s’il a déjà écrit
oui, à condition que Tim relise
pas encore
oui mais pas encore
hier
ok je regarderai plus tard
bien noté
bien reçu
lu
je pense que oui
oui je pense
peut-être oui
oui, demain
oui, lundi
oui, à 90 au lieu de 80
n’envoie pas
nenvoie pas
ne l’envoie surtout pas
oui, pour 4 000 euros
oui, seulement la première moitié
peux-tu me l’envoyer d’abord ?
peux-tu l’envoyer demain stp ?
pourrais-tu ne pas l’envoyer stp ?
oui, mets 10 lampes
oui, vérifie le prix
ok, montre-moi le texte
Bob a dit oui
Il a écrit « oui, vas-y »
merci pour l’info
ok, c’est qui Bob ?
oui quand je serai rentré
en principe oui
oui et non
mouais
oui, envoie-le à Tim
oui sans la pièce jointe
pas d’accord
désaccord
je n’approuve pas
ça va
ça va comme ça
je t'en prie
mais bien sûr
c'est ça
sûr
allez
hop
en route
envoi
continue comme ça
certainement`,
  es: `sí, visto
sí, ya lo vi
sí no
sí, no
¿sí?
sí…
si Bob está de acuerdo, sí
sí, si Bob está de acuerdo
sí, si está bien el precio
vale, si te parece
sí, salvo que ya haya escrito
todavía no
sí, pero aún no
ayer
ok, lo miro luego
anotado
recibido
leído
creo que sí
sí, creo
quizás sí
sí, mañana
sí, el lunes
sí, con 90 en vez de 80
no lo mandes
nolo mandes
no lo mnades
sí, por 4.000 euros
sí, solo la primera mitad
¿puedes mandármelo primero a mí?
¿puedes mandarlo mañana por favor?
¿podrías no mandarlo por favor?
sí, pon 10 lámparas
sí, revisa el precio
ok, enséñame el texto
Bob dijo que sí
Escribió «sí, adelante»
gracias por la información
ok, ¿quién es Bob?
sí, cuando vuelva
en principio sí
sí y no
más o menos
sí, mándalo a Tim
sí, sin el adjunto
no estoy de acuerdo
desapruebo
ya va
sí hombre
suéltalo
échalo
está bien así
Simon
me parece
se puede
está listo
que se vaya
sí, confírmame el precio`,
  it: `sì, letto
sì, l’ho vista
sì no
sì, no
sì?
sì…
se Bob è d’accordo, sì
sì se Bob è d’accordo
sì, a meno che abbia già scritto
sì, a patto che Tim rilegga
non ancora
sì, ma non ancora
ieri
ok, lo guardo dopo
preso nota
ricevuto
letto
penso di sì
sì, credo
forse sì
sì, domani
sì, lunedì
sì, con 90 invece di 80
non mandarla
nno mandarla
non madarla
sì, per 4.000 euro
sì, solo la prima metà
puoi mandarla prima a me?
puoi mandarla domani per favore?
potresti non mandarla per favore?
sì, metti 10 lampade
sì, controlla il prezzo
ok, mostrami il testo
Bob ha detto sì
Ha scritto «sì, vai»
grazie per l’informazione
ok, chi è Bob?
sì, quando torno
in linea di massima sì
sì e no
boh
sì, mandala a Tim
sì, senza allegato
sì, invita Carlo
lo mando io
non sono d’accordo
come no
assolutamente
dai
via
ci mancherebbe
può andare
bene grazie
tutto bene
vai con dio
certo certo
andata
intesi
si può`,
  nl: `ja, gezien
ja, gelezen
ja nee
ja, nee
ja?
ja…
als Bob akkoord is, ja
ja als Bob akkoord is
ja, tenzij hij al geschreven heeft
ja, mits Tim het nakijkt
nog niet
ja, maar nog niet
gisteren
ok, ik kijk er later naar
genoteerd
ontvangen
gelezen
denk het wel
ja, denk ik
misschien wel
ja, morgen
ja, maandag
ja, met 90 in plaats van 80
niet versturen
stuur niet
stuur maar neit
ja, voor 4.000 euro
ja, alleen de eerste helft
kun je het eerst naar mij sturen?
kun je het morgen sturen aub?
kun je het aub niet sturen?
ja, maak er 10 lampen van
ja, controleer de prijs
ok, laat me de tekst zien
Bob zei ja
Hij schreef “ja, doe maar”
bedankt voor de info
ok, wie is Bob?
ja, als ik terug ben
in principe wel
ja en nee
mwah
ja, stuur het naar Tim
ja, zonder bijlage
niet akkoord
geen akkoord
nee, ga je gang zonder mij
weg ermee
laat maar gaan
mij best
ja joh
komt in orde
komt voor elkaar
doe rustig
toe maar
vanzelf
dat kan
klopt
joehoe
stuur hem door
eruit ermee`,
  pt: `sim, visto
sim, já li
sim não
sim, não
sim?
sim…
se o Bob concordar, sim
sim, se o Bob concordar
sim, a não ser que ele já tenha escrito
sim, desde que o Tim reveja
ainda não
sim, mas ainda não
ontem
ok, vejo depois
anotado
recebido
lido
acho que sim
sim, acho
talvez sim
sim, amanhã
sim, segunda-feira
sim, com 90 em vez de 80
não envie
nao envie
naõ mande
sim, por 4.000 euros
sim, só a primeira metade
pode enviar primeiro para mim?
pode enviar amanhã por favor?
podia não enviar por favor?
sim, põe 10 lâmpadas
sim, verifica o preço
ok, mostra-me o texto
o Bob disse sim
Ele escreveu «sim, pode enviar»
obrigado pela informação
ok, quem é o Bob?
sim, quando eu voltar
em princípio sim
sim e não
mais ou menos
sim, manda ao Tim
sim, sem o anexo
não concordo
discordo
pode enviar?
à vontade
fica à vontade
pois claro
manda logo
solta
está feito
manda embora
pode sair
isso
está tudo bem`,
  pl: `tak, widziałem
tak, przeczytałam
tak nie
tak, nie
tak?
tak…
jeśli Bob się zgodzi, tak
tak, jeśli Bob się zgodzi
tak, chyba że już napisał
tak, pod warunkiem że Tim sprawdzi
jeszcze nie
tak, ale jeszcze nie
wczoraj
ok, zobaczę później
zanotowane
otrzymałem
przeczytane
chyba tak
tak myślę
może tak
tak, jutro
tak, w poniedziałek
tak, 90 zamiast 80
nie wysyłaj
nei wysyłaj
nie wyślij
tak, za 4000 euro
tak, tylko pierwszą połowę
możesz najpierw wysłać do mnie?
możesz wysłać jutro proszę?
mogłabyś nie wysyłać proszę?
tak, zrób z tego 10 lamp
tak, sprawdź cenę
ok, pokaż mi tekst
Bob powiedział tak
Napisał „tak, wyślij”
dzięki za informację
ok, kto to jest Bob?
tak, jak wrócę
w zasadzie tak
tak i nie
no nie wiem
tak, wyślij Timowi
tak, bez załącznika
nie zgadzam się
niezgoda
wyślę to sam
no tak
tak, zaraz
wyślij zaraz
może tak być
może tak zostać
pewno
proszę bardzo
racja
załatwione
pięknie
leć
jasne jasne
stoi`,
  tr: `evet, gördüm
evet, okudum
evet hayır
evet, hayır
evet?
evet…
Bob kabul ederse evet
evet, Bob kabul ederse
evet, daha önce yazmadıysa
evet, Tim kontrol etmek şartıyla
henüz değil
evet ama henüz değil
dün
tamam, sonra bakarım
not aldım
aldım
okudum
sanırım evet
evet galiba
belki evet
evet, yarın
evet, pazartesi
evet, 80 yerine 90
gönderme
gondrme
göndermeyin lütfen
evet, 4.000 euroya
evet, sadece ilk yarısı
önce bana gönderir misin?
yarın gönderir misin lütfen?
göndermez misin lütfen?
evet, 10 lamba yap
evet, fiyatı kontrol et
tamam, metni göster
Bob evet dedi
“Evet, gönder” yazmış
bilgi için teşekkürler
tamam, Bob kim?
evet, dönünce
prensipte evet
hem evet hem hayır
bakarız
evet, Tim'e gönder
evet, eki olmadan
kabul etmiyorum
kabul edmiyorum
onaylamıyorum
gönderdin mi?
buyurun
peki
bas git
ne demek
eyvallah
hadi bakalım
böyle iyi
doğru
hı hı
olur olur`,
  ja: `はい、見ました
はい、確認しました
はい、いいえ
はい？
はい…
はいはい
ボブが同意すれば、はい
ボブが同意したら送ってください
まだです
はい、でもまだです
昨日
後で見ます
了解
承知しました
確認しました
受け取りました
読みました
たぶんはい
はい、たぶん
そう思います
はい、明日
はい、月曜日に
はい、80ではなく90で
送らないでください
送らないで
送信しないで下さい
はい、4000ユーロで
はい、前半だけ
先に私に送ってもらえますか？
明日送ってもらえますか？
送らないでもらえますか？
はい、10個にして
はい、値段を確認して
はい、本文を見せて
ボブははいと言いました
「はい、どうぞ」と書いていました
お知らせありがとうございます
ボブって誰？
はい、戻ったら
原則はい
どうかな
ティムに送ってください
はい、添付なしで
同意しません
いいですよね？
結構です、やめてください
検討します
お任せします
任せます
このままでいいです
このままで大丈夫です
そのままでいい
私は大丈夫です
うん大丈夫
大丈夫だと思います
いいんじゃない
そう
行って
よさそう
任せた`,
  zh: `是的，看过了
是的，我看了
是，不是
是不是
好？
好…
可以吗
如果鲍勃同意，可以
可以，如果鲍勃同意
好，除非他已经写了
好，前提是蒂姆看过
还没
好，但是还不行
昨天
好，我晚点看
收到
知道了
已阅
看到了
我想是的
应该可以
可能可以
好，明天
可以，周一
好，90不是80
不要发
别发了
先别发
可以，4000欧元
可以，只发前一半
可以先发给我吗？
明天发可以吗？
可以不发吗
好，改成10盏灯
好，核对一下价格
好，给我看看内容
鲍勃说可以
他写的“可以，发吧”
谢谢告知
好，鲍勃是谁？
可以，等我回来
原则上可以
再说吧
发给蒂姆
可以，不带附件
不同意
不是不可以
好个头
好不好
没事
发了
可以吧
也行
也好
交给你了
好好好
行行行
对对对
过
可以了
走吧
拜托
我可以
你处理吧
可以嘛
行了`,
  ar: `نعم رأيتها
نعم قرأتها
نعم لا
نعم، لا
نعم؟
نعم…
إذا وافق بوب نعم
نعم إذا وافق بوب
نعم إلا إذا كتب من قبل
نعم بشرط أن يراجعها تيم
ليس بعد
نعم لكن ليس بعد
أمس
حسنا سأنظر فيها لاحقا
تم العلم
وصلت
قرأتها
أظن نعم
نعم أعتقد
ربما نعم
نعم غدا
نعم يوم الاثنين القادم
نعم ب 90 بدل 80
لا ترسلها
لاترسلها
ما ترسلها الحين
نعم مقابل 4000 يورو
نعم النصف الأول فقط
هل يمكنك إرسالها لي أولا؟
هل يمكنك إرسالها غدا من فضلك؟
ممكن ما ترسلها لو سمحت؟
نعم اجعلها 10 مصابيح
نعم راجع السعر
حسنا أرني النص
قال بوب نعم
كتب "نعم تفضل"
شكرا على المعلومة
تمام من هو بوب؟
نعم عندما أعود
من حيث المبدأ نعم
نعم ولا
إن شاء الله
نعم أرسلها إلى تيم
نعم بدون المرفق
لا أوافق
غير موافق
لا مانع لو تأكدت
خلص
طيب
ولا يهمك
ماشي الحال
صح
ايه
امشي
بسم الله
كما هي
تقدر
جاهزة للإرسال
ممكن تروح`,
};
