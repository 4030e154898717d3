import { blocks, lines, type Words } from './words.ts';

export const nl: Words = {
  language: 'nl',
  locale: 'nl-NL',
  name: 'Sanne de Wit',
  yes: lines(`
Ja
Goedgekeurd
ja
Ja, doe maar.
Oké
Akkoord
Ja, prima.
Ja, graag.
Ja, verstuur maar.
Ja, is goed.
Helemaal goed, doe maar.
Ja, dank je.
`),
  agreeing: lines(`
Prima
Is goed.
Lijkt me goed.
`),
  no: lines(`
Nee, niet versturen.
Toch maar niet.
Deze niet, alsjeblieft.
Doe maar niet.
Niet sturen, Carl is daar weg.
Liever niet.
Nee joh, laat zitten.
Dit mag zo niet de deur uit.
Geen sprake van, dat is nooit afgesproken.
Niet verzenden.
Dat gaan we niet doen.
Van mij een nee.
`),
  condition: lines(`
Alleen als Tim het goed vindt.
Als juridische zaken er geen bezwaar tegen heeft.
Tenzij Carl al heeft geschreven.
Zolang de prijs hetzelfde blijft.
Op voorwaarde dat de boekhouding het bevestigt.
Maar overleg eerst met Jana.
Zodra ik het contract heb getekend.
Pas nadat Mia het heeft gezien.
Mits de voorraad er echt is.
Onder voorbehoud van akkoord van mijn chef.
Maar haal de laatste zin eruit.
Behalve de tweede alinea, die moet weg.
`),
  date: lines(`
Maar niet voor maandag.
Graag op 14 december versturen.
Wacht tot donderdag.
Morgen is beter.
Na de feestdagen.
Vandaag nog niet.
Zet de levering op vrijdag 11 december.
Houd het vast tot 15.00 uur.
Volgende week graag.
De levering is 9 december, niet de 7e.
Over twee weken pas.
Laat het vanavond om zes uur uitgaan.
`),
  amount: lines(`
Maar voor 4.200 EUR.
Maak er 10 lampen van.
Met 5 % korting.
Hooguit 4.500.
Wel voor 4.950 euro.
De prijs moet 4.300 EUR zijn.
Twee lampen minder.
Het dubbele aantal graag.
Niet meer dan 4000.
Zet er 20 lampen in.
4.600 in plaats van 4.800.
Plus 120 EUR verzendkosten.
`),
  takeBack: lines(`
Wacht, stop.
Vergeet wat ik hierboven schreef.
Bij nader inzien, toch even wachten.
Streep dat maar door.
Sorry, verkeerde mail. Negeer deze.
Ik neem dat terug.
Momentje, ik kijk het eerst na.
Annuleer dat, alsjeblieft.
Oeps, dat was voor Jana bedoeld.
Houd dit voorlopig tegen.
Ik ben van gedachten veranderd.
Mijn ja geldt niet meer.
`),
  question: lines(`
Wie is Carl?
Waarom 12 lampen?
Klopt dat adres wel?
Heeft Mia de prijs nagekeken?
Wat hebben we de vorige keer geboden?
Kun je me eerst de hele tekst laten zien?
Weet hij er al van?
Heeft het haast?
Welke lampen zijn dat?
Weet je de datum zeker?
Waar komt die prijs vandaan?
Heeft hij daar om gevraagd?
`),
  undecided: lines(`
Zit in een overleg, kijk er later naar.
Hm.
Ik slaap er een nachtje over.
Ik moet het Jana vragen.
Misschien.
Ik twijfel.
`),
  greetings: lines(`
Hoi Ada,
Hallo Ada,
Beste Ada,
`),
  closings: lines(`
Groeten
Bedankt
Met vriendelijke groet,
Groetjes
`),
  signatures: blocks(`
Sanne de Wit
Hoofd verkoop
De Wit Verlichting B.V.
Molenweg 12, 3511 AB Utrecht
Tel. +31 30 000 0123
www.dewit-verlichting.example

Sanne

Sanne de Wit | De Wit Verlichting
T 030 000 0123 | M 06 0000 0123
sanne@dewit-verlichting.example

S. de Wit, directeur
De Wit Verlichting
Utrecht
`),
  hardSignatures: blocks(`
Jan Neen
De Wit Verlichting B.V.

Sanne de Wit
Stopweg 3, Utrecht

Sanne de Wit
De Wit Verlichting - niet alleen lampen.

De Wit Verlichting B.V.
KvK nr. 12345678
BTW nr. NL001234567B01

Sanne de Wit
Dit bericht is vertrouwelijk. Als u niet de geadresseerde bent, verwijder het dan en verspreid het niet.

Sanne de Wit
Print deze mail niet, tenzij het echt nodig is.

Sanne de Wit
Aan deze mail kunnen geen rechten worden ontleend, tenzij schriftelijk bevestigd.

Sanne de Wit
Mis onze beurs niet: 14 t/m 16 januari, hal 3!

Sanne de Wit
Kantooruren: ma-vr 9-17 uur. Op woensdag werk ik niet.

Sanne de Wit
Advocatenkantoor Wacht & Halt
Geen aansprakelijkheid voor fouten, prijswijzigingen voorbehouden.

Waarom wachten? Bestel online: www.dewit-verlichting.example
`),
  footerLike: lines(`
Verzonden met de verkeerde prijs, niet doen.
Verstuurd vanaf het verkeerde account, stop.
Verzonden per ongeluk, wacht nog even.
Verstuurd vanuit de trein zonder het te lezen, dus wacht.
Download eerst het akkoord van Tim
`),
  headerLike: blocks(`
Van: maandag
Tot: vrijdag
Datum: niet voor 5 december

Voorwaarde: Tim is akkoord
Bedrag: 4.200 EUR
Levering: 14 december

Aan: Carl
Onderwerp: eerst aanpassen
Datum: volgende week

Van: mij
Aan: jou
Onderwerp: offerte
Opmerking: nog niet versturen

Wanneer: na mijn gesprek met Jana
Wat: alleen de eerste alinea
Wie: niet Carl maar Dora
`),
  attributionLike: lines(`
Maandag zei Carl dat hij het niet wil, hij schreef:
Op 24 november 2026 om 10:00 heb ik nee gezegd en schreef Jana:
Wacht nog even, op vrijdag schreef Mia:
`),
  postscript: 'PS:',
  request: 'Stuur Carl vandaag alsjeblieft onze nieuwe offerte voor de twaalf lampen.',
  subject: 'Offerte 4711',
  letter:
    'Beste Carl,\n\nwij bieden 12 lampen aan voor 4.800 EUR, levering op maandag 7 december 2026 om 10:00 uur.\n\nGroeten\nAda',
};
