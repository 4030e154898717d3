import { blocks, lines, type Words } from './words.ts';

export const sv: Words = {
  language: 'sv',
  locale: 'sv-SE',
  name: 'Åsa Lindström',
  yes: lines(`
Ja
Godkänt
ja
Ja, gör det.
OK
Ja tack.
Kör på.
Ja, det går bra.
Ja, skicka.
Okej
Godkänns
Ja, det är bra.
`),
  agreeing: lines(`
Det går bra.
Ser bra ut.
Utmärkt.
`),
  no: lines(`
Nej, skicka inte.
Nja, nej.
Inte den här, tack.
Absolut inte.
Skicka inte, Carl har slutat där.
Helst inte.
Nä, strunta i det.
Det här får inte gå ut så.
Aldrig i livet, det har vi inte kommit överens om.
Skicka den inte.
Det gör vi inte.
Det blir ett nej från mig.
`),
  condition: lines(`
Bara om Tim håller med.
Om juristerna inte har något emot det.
Såvida inte Carl redan har skrivit.
Så länge priset är detsamma.
Förutsatt att ekonomi har bekräftat.
Men stäm av med Jana först.
När jag har skrivit under avtalet.
Först efter att Mia har sett det.
Under förutsättning att varorna finns.
Med förbehåll för chefens godkännande.
Men ta bort sista meningen.
Förutom andra stycket, det ska bort.
`),
  date: lines(`
Men inte före måndag.
Skicka den 14 december, tack.
Vänta till torsdag.
I morgon vore bättre.
Efter helgerna.
Inte i dag.
Sätt leveransen till fredag den 11 december.
Håll den till klockan 15.
Nästa vecka, tack.
Leveransen ska vara 9 december, inte den 7:e.
Om två veckor i så fall.
Låt den gå i kväll klockan sex.
`),
  amount: lines(`
Men för 4 200 EUR.
Gör det till 10 lampor.
Med 5 % rabatt.
Högst 4 500.
Fast för 4 950 euro.
Priset ska vara 4 300 EUR.
Två lampor färre.
Dubbla antalet, tack.
Inte mer än 4000.
Skriv 20 lampor.
4 600 i stället för 4 800.
Plus 120 EUR i frakt.
`),
  takeBack: lines(`
Vänta, stopp.
Glöm det jag skrev ovan.
Vid närmare eftertanke, avvakta.
Stryk det.
Förlåt, fel mejl. Bortse från det här.
Jag tar tillbaka det.
Vänta lite, jag måste kolla först.
Avbryt det, tack.
Oj, det där var till Jana.
Håll inne med den så länge.
Jag har ändrat mig.
Mitt ja gäller inte längre.
`),
  question: lines(`
Vem är Carl?
Varför 12 lampor?
Är det rätt adress?
Har Mia kollat priset?
Vad erbjöd vi förra gången?
Kan du visa mig hela texten först?
Vet han om det än?
Är det bråttom?
Vilka lampor är det?
Är du säker på datumet?
Var kommer priset ifrån?
Har han bett om det?
`),
  undecided: lines(`
Sitter i möte, tittar på det senare.
Hm.
Jag får sova på saken.
Jag måste fråga Jana.
Kanske.
Jag är osäker.
`),
  greetings: lines(`
Hej Ada,
Hej!
Hejsan Ada,
`),
  closings: lines(`
Hälsningar
Tack
Med vänlig hälsning
Mvh
`),
  signatures: blocks(`
Åsa Lindström
Försäljningschef
Lindström Belysning AB
Kvarngatan 12, 118 47 Stockholm
Tel. +46 8 000 01 23
www.lindstrom-belysning.example

Åsa

Åsa Lindström | Lindström Belysning
Tfn 08-000 01 23 | Mobil 070-000 01 23
asa@lindstrom-belysning.example

Å. Lindström, VD
Lindström Belysning
Stockholm
`),
  hardSignatures: blocks(`
Per Nej
Lindström Belysning AB

Åsa Lindström
Stoppgatan 3, Stockholm

Åsa Lindström
Lindström Belysning - inte bara lampor.

Lindström Belysning AB
Org.nr 556123-4567
Momsreg.nr SE556123456701

Åsa Lindström
Detta meddelande är konfidentiellt. Om du inte är rätt mottagare, radera det och sprid det inte.

Åsa Lindström
Skriv inte ut det här mejlet om det inte behövs.

Åsa Lindström
Innehållet är inte bindande om inte annat avtalats.

Åsa Lindström
Missa inte mässan 14-16 januari, hall 3!

Åsa Lindström
Kontorstid: mån-fre 9-17. Jag arbetar inte på onsdagar.

Åsa Lindström
Advokatbyrån Vänta & Stopp
Inget ansvar för fel, med reservation för prisändringar.

Varför vänta? Beställ på nätet: www.lindstrom-belysning.example
`),
  footerLike: lines(`
Skickat med fel pris, låt bli.
Skickat från fel konto, stopp.
Skickat av misstag, vänta.
Skickat från tåget utan att läsa, så vänta.
Hämta Tims godkännande först
`),
  headerLike: blocks(`
Från: måndag
Till: fredag
Datum: inte före 5 december

Villkor: Tim håller med
Belopp: 4 200 EUR
Leverans: 14 december

Till: Carl
Ämne: ändra först
Datum: nästa vecka

Från: mig
Till: dig
Ämne: offert
Obs: skicka inte än

När: efter mitt samtal med Jana
Vad: bara första stycket
Vem: inte Carl utan Dora
`),
  attributionLike: lines(`
I måndags sa Carl att han inte vill ha den, han skrev:
Den 24 november 2026 kl. 10:00 sa jag nej och Jana skrev:
Vänta lite, i fredags skrev Mia:
`),
  postscript: 'PS.',
  request: 'Skicka vår nya offert på de tolv lamporna till Carl i dag, tack.',
  subject: 'Offert 4711',
  letter:
    'Hej Carl,\n\nvi erbjuder 12 lampor för 4 800 EUR, leverans måndag 7 december 2026 kl. 10:00.\n\nHälsningar\nAda',
};
