import { blocks, lines, type Words } from './words.ts';

export const it: Words = {
  language: 'it',
  locale: 'it-IT',
  name: 'Chiara Rossi',
  yes: lines(`
Sì
Approvato
sì
Sì, procedi.
Ok
Va bene
D'accordo
Sì, grazie.
Sì, invia pure.
Procedi pure.
Sì, va bene.
Sì, per favore.
`),
  agreeing: lines(`
Per me va bene.
Perfetto.
Benissimo.
`),
  no: lines(`
No, non inviarla.
Meglio di no.
Questa no, per favore.
Assolutamente no.
Non mandarla, Carl non lavora più lì.
Preferirei di no.
Lascia perdere.
Così non deve partire.
Neanche per sogno, non l'avevamo mai concordato.
Non inviare.
Non lo facciamo.
Da parte mia è un no.
`),
  condition: lines(`
Solo se Tim è d'accordo.
Se l'ufficio legale non ha obiezioni.
A meno che Carl non abbia già scritto.
Finché il prezzo resta lo stesso.
A condizione che la contabilità confermi.
Ma prima senti Jana.
Una volta firmato il contratto.
Solo dopo che l'ha vista Mia.
Purché la merce ci sia davvero.
Salvo approvazione del mio capo.
Però togli l'ultima frase.
Tranne il secondo paragrafo, quello no.
`),
  date: lines(`
Ma non prima di lunedì.
Inviala il 14 dicembre, per favore.
Aspetta giovedì.
Domani sarebbe meglio.
Dopo le feste.
Oggi ancora no.
Metti la consegna venerdì 11 dicembre.
Tienila ferma fino alle 15.
La settimana prossima, per favore.
La consegna è il 9 dicembre, non il 7.
Fra due settimane.
Falla partire stasera alle 18.
`),
  amount: lines(`
Ma a 4.200 EUR.
Facciamo 10 lampade.
Con il 5 % di sconto.
Al massimo 4.500.
Però per 4.950 euro.
Il prezzo deve essere 4.300 EUR.
Due lampade in meno.
Il doppio della quantità, per favore.
Non più di 4000.
Scrivi 20 lampade.
4.600 invece di 4.800.
Più 120 EUR di spedizione.
`),
  takeBack: lines(`
Aspetta, ferma tutto.
Dimentica quello che ho scritto sopra.
Ripensandoci, meglio aspettare.
Cancella quello che ho detto.
Scusa, mail sbagliata. Ignorala.
Ritiro quanto detto.
Un attimo, prima controllo.
Annulla, per favore.
Ops, era per Jana.
Per ora tienila in sospeso.
Ho cambiato idea.
Non considerare il mio sì.
`),
  question: lines(`
Chi è Carl?
Perché 12 lampade?
È l'indirizzo giusto?
Mia ha controllato il prezzo?
Quanto avevamo offerto l'altra volta?
Mi fai vedere prima tutto il testo?
Lui lo sa già?
È urgente?
Che lampade sono?
Sei sicura della data?
Da dove viene quel prezzo?
L'ha chiesto lui?
`),
  undecided: lines(`
Sono in riunione, guardo dopo.
Mah.
Ci dormo su.
Devo chiedere a Jana.
Forse.
Non sono convinta.
`),
  greetings: lines(`
Ciao Ada,
Buongiorno Ada,
Cara Ada,
`),
  closings: lines(`
Cordiali saluti
Grazie
Un saluto,
Buona giornata
`),
  signatures: blocks(`
Chiara Rossi
Direttrice commerciale
Rossi Illuminazione S.r.l.
Via del Mulino 12, 20121 Milano
Tel. +39 02 0000 123
www.rossi-illuminazione.example

Chiara

Chiara Rossi | Rossi Illuminazione
Tel. 02 0000 123 | Cell. 340 000 0123
chiara@rossi-illuminazione.example

C. Rossi, amministratrice
Rossi Illuminazione
Milano
`),
  hardSignatures: blocks(`
Marco Nò
Rossi Illuminazione S.r.l.

Chiara Rossi
Via della Fermata 3, Milano

Chiara Rossi
Rossi Illuminazione - non solo lampade.

Rossi Illuminazione S.r.l.
R.E.A. n. MI-1234567
P. IVA n. 01234567890

Chiara Rossi
Messaggio riservato. Se non siete il destinatario, vi preghiamo di cancellarlo e di non diffonderlo.

Chiara Rossi
Non stampare questa mail se non è necessario.

Chiara Rossi
Il contenuto non è vincolante, salvo diverso accordo scritto.

Chiara Rossi
Non perdete la fiera, dal 14 al 16 gennaio, padiglione 3!

Chiara Rossi
Orario: lun-ven 9-17. Il mercoledì non sono in ufficio.

Chiara Rossi
Studio Attesa & Ferma
Senza garanzia, salvo errori e omissioni.

Perché aspettare? Ordina online: www.rossi-illuminazione.example
`),
  footerLike: lines(`
Inviato con il prezzo sbagliato, non mandarla.
Inviato da un account sbagliato, ferma.
Inviato per errore, aspetta.
Inviato dal treno senza aver letto tutto, quindi aspetta.
Scarica prima l'ok di Tim
`),
  headerLike: blocks(`
Da: lunedì
A: venerdì
Data: non prima del 5 dicembre

Condizione: Tim è d'accordo
Importo: 4.200 EUR
Consegna: 14 dicembre

A: Carl
Oggetto: da cambiare prima
Data: settimana prossima

Da: me
A: te
Oggetto: offerta
Nota: non inviare ancora

Quando: dopo la telefonata con Jana
Cosa: solo il primo paragrafo
Chi: non Carl, Dora
`),
  attributionLike: lines(`
Lunedì Carl mi ha detto che non la vuole, ha scritto:
Il giorno 24 novembre 2026 alle 10:00 ho detto di no e Jana ha scritto:
Aspetta per favore, venerdì Mia ha scritto:
`),
  postscript: 'P.S.',
  request: 'Per favore manda oggi a Carl la nostra nuova offerta per le dodici lampade.',
  subject: 'Offerta 4711',
  letter:
    'Caro Carl,\n\noffriamo 12 lampade per 4.800 EUR, consegna lunedì 7 dicembre 2026 alle 10:00.\n\nCordiali saluti\nAda',
};
