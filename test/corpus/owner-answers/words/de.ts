import { blocks, lines, type Words } from './words.ts';

export const de: Words = {
  language: 'de',
  locale: 'de-DE',
  name: 'Maria Köhler',
  yes: lines(`
Ja
Genehmigt
ja
Ja, bitte.
Ok
Ja, mach das.
Passt, bitte senden.
Ja, gerne.
Einverstanden.
Geht in Ordnung.
Freigegeben
Ja bitte, danke!
`),
  agreeing: lines(`
Sieht gut aus.
Von mir aus.
Prima.
`),
  no: lines(`
Nein, bitte nicht senden.
Doch nicht.
Das bitte nicht.
Lass das mal lieber.
Nicht abschicken, Carl ist nicht mehr in der Firma.
Lieber nicht.
Nee, das lassen wir.
Das darf so nicht raus.
Auf keinen Fall, das war nie abgemacht.
Bitte nicht verschicken.
Das machen wir nicht.
Von mir ein klares Nein.
`),
  condition: lines(`
Nur wenn Tim einverstanden ist.
Falls die Rechtsabteilung nichts dagegen hat.
Außer Carl hat sich schon gemeldet.
Solange der Preis gleich bleibt.
Vorausgesetzt, die Buchhaltung hat es bestätigt.
Aber bitte vorher mit Jana klären.
Sobald ich den Vertrag unterschrieben habe.
Erst wenn Mia drübergeschaut hat.
Sofern die Ware wirklich da ist.
Vorbehaltlich der Freigabe durch meinen Chef.
Aber nimm den letzten Satz raus.
Bis auf den zweiten Absatz, den bitte weglassen.
`),
  date: lines(`
Aber nicht vor Montag.
Bitte erst am 14. Dezember senden.
Warte bis Donnerstag.
Morgen wäre besser.
Erst nach den Feiertagen.
Heute noch nicht.
Lieferung bitte Freitag, 11.12.
Halt es bis 15 Uhr zurück.
Nächste Woche, bitte.
Liefertermin ist der 9. Dezember, nicht der 7.
In zwei Wochen dann.
Soll heute Abend um 18 Uhr rausgehen.
`),
  amount: lines(`
Aber für 4.200 EUR.
Mach 10 Lampen draus.
Mit 5 % Rabatt.
Höchstens 4.500.
Allerdings für 4.950 Euro.
Als Preis bitte 4.300 EUR reinschreiben.
Zwei Lampen weniger.
Bitte die doppelte Menge.
Mehr als 4000 geben wir nicht aus.
Schreib 20 Lampen rein.
4.600 statt 4.800.
Plus 120 EUR Versand.
`),
  takeBack: lines(`
Halt, stopp.
Vergiss, was ich oben geschrieben habe.
Moment, doch lieber warten.
Quatsch, streich das.
Sorry, falsche Mail. Bitte ignorieren.
Ich nehme das zurück.
Warte kurz, ich muss das erst prüfen.
Bitte wieder stornieren.
Ups, das war für Jana gedacht.
Bitte vorerst zurückhalten.
Ich habe es mir anders überlegt.
Mein Ja von eben gilt nicht.
`),
  question: lines(`
Wer ist Carl?
Warum 12 Lampen?
Stimmt die Adresse überhaupt?
Hat Mia den Preis geprüft?
Was haben wir letztes Mal angeboten?
Kannst du mir erst den ganzen Text zeigen?
Weiß er schon davon?
Ist das eilig?
Welche Lampen sind das denn?
Bist du sicher mit dem Datum?
Woher kommt der Preis?
Hat er das so bestellt?
`),
  undecided: lines(`
Bin im Termin, schaue ich mir später an.
Hm.
Da muss ich eine Nacht drüber schlafen.
Ich muss Jana fragen.
Vielleicht.
Bin mir da unsicher.
`),
  greetings: lines(`
Hallo Ada,
Hi Ada,
Liebe Ada,
`),
  closings: lines(`
Viele Grüße
Danke
Mit freundlichen Grüßen
LG
`),
  signatures: blocks(`
Maria Köhler
Vertriebsleitung
Köhler Leuchten GmbH
Mühlenweg 12, 50667 Köln
Telefon +49 221 4710 123
www.koehler-leuchten.example

Maria

Maria Köhler | Köhler Leuchten
Tel. 0221 4710-123 | Mobil 0171 5550123
maria@koehler-leuchten.example

i. A. Maria Köhler
Einkauf
Köhler Leuchten GmbH, Köln
`),
  hardSignatures: blocks(`
Kim No
Köhler Leuchten GmbH

Maria Köhler
Am Haltepunkt 3, 53111 Bonn

Maria Köhler
Köhler Leuchten - nicht nur Lampen.

Köhler Leuchten GmbH
Geschäftsführer: Peter Nein
Amtsgericht Köln, HRB Nr. 1234567
USt-IdNr. DE123456789

Maria Köhler
Diese E-Mail ist vertraulich. Wenn Sie nicht der richtige Adressat sind, löschen Sie sie bitte; unerlaubtes Kopieren ist nicht gestattet.

Maria Köhler
Bitte drucken Sie diese Mail nur aus, wenn es wirklich nötig ist.

Maria Köhler
Rechtsverbindliche Erklärungen bedürfen der Schriftform, sofern nichts anderes vereinbart ist.

Maria Köhler
Besuchen Sie uns auf der Messe vom 14. bis 16. Januar, Halle 3!

Maria Köhler
Bürozeiten: Mo-Fr 9-17 Uhr, freitags nur bis 13 Uhr. Mittwochs bin ich nicht im Büro.

Maria Köhler
Kanzlei Halt, Warter & Partner mbB
Keine Haftung für Irrtümer, Preisänderungen vorbehalten.

Warum warten? Jetzt bestellen: www.koehler-leuchten.example
`),
  footerLike: lines(`
Gesendet werden soll es erst am Montag.
Gesendet mit dem falschen Preis, bitte nicht.
Gesendet von mir aus Versehen, bitte stoppen.
Von meinem Chef noch nicht freigegeben
Gesendet vom falschen Konto, warte bitte.
`),
  headerLike: blocks(`
Von: Montag
An: Freitag
Datum: nicht vor dem 5. Dezember

Bedingung: Tim ist einverstanden
Betrag: 4.200 EUR
Lieferung: 14. Dezember

An: Carl
Betreff: bitte vorher ändern
Datum: nächste Woche

Von: mir
An: dich
Betreff: Angebot
Hinweis: noch nicht senden

Wann: nach meinem Gespräch mit Jana
Was: nur der erste Absatz
Wer: nicht Carl, sondern Dora
`),
  attributionLike: lines(`
Am Montag hat Carl mir gesagt, dass er es nicht will, er schrieb:
Am 24.11.2026 um 10:00 habe ich nein gesagt, und Jana schrieb:
Bitte noch warten, am Freitag schrieb Mia:
`),
  postscript: 'PS:',
  request: 'Bitte schick Carl heute noch unser neues Angebot für die zwölf Lampen.',
  subject: 'Angebot 4711',
  letter:
    'Lieber Carl,\n\nwir bieten 12 Lampen für 4.800 EUR an, Lieferung am Montag, 7. Dezember 2026, um 10:00 Uhr.\n\nViele Grüße\nAda',
};
