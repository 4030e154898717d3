import type { NoticeWords } from './words.ts';

export const it: NoticeWords = {
  causes: {
    auth: 'il servizio del modello ha rifiutato la nostra chiave',
    rate_limited: 'il servizio del modello aveva troppe richieste',
    overloaded: 'il servizio del modello era sovraccarico',
    timeout: 'il servizio del modello non ha risposto in tempo',
    unavailable: 'il servizio del modello non era raggiungibile',
    context_overflow: 'il messaggio e la sua cronologia sono troppo lunghi per il modello',
    bad_request: 'il modello ha rifiutato la richiesta',
    unparsable: 'il modello ha inviato qualcosa di illeggibile',
    repeated_crash: 'lo stesso passo ha fermato il programma più volte',
    other: 'non è stato possibile completarlo',
  },
  mailCauses: {
    no_mailbox: 'questa casella non esiste',
    no_domain: 'questo server di posta non esiste',
    full: 'la casella è piena',
    refused: "l'altro server l'ha rifiutato",
    too_large: "è troppo grande per l'altro server",
    unreachable: "l'altro server non è stato raggiungibile per due giorni",
  },
  more: (count, since) => `Dalle ${since} è successo altre ${count} volte. L'ultimo caso:`,
  moreInSubject: (count) => ` e altri ${count}`,
  failedSubject: (subject) => `Nessuna risposta a "${subject}"`,
  failed: (who, subject, cause) => `Non ho potuto rispondere al messaggio "${subject}" di ${who}: ${cause}.`,
  partialSubject: (subject) => `Solo parte di una risposta a "${subject}"`,
  partial: (who, subject, cause) => `Ho potuto rispondere solo in parte al messaggio "${subject}" di ${who}: ${cause}.`,
  unknownSubject: (subject) => `È stato fatto? "${subject}"`,
  unknown: (tools) =>
    `Il mio lavoro si è interrotto mentre usavo ${tools}. Forse è stato fatto, forse no; non l'ho ripetuto e non lo ripeterò. La prego di controllare.`,
  details: (runId) =>
    `Che cosa è successo: \`epistle runs show ${runId}\`. Per riprovare: \`epistle runs retry ${runId}\`.`,
  undeliveredSubject: (subject) => `Non consegnato: "${subject}"`,
  undelivered: (subject, to, cause) => `Il mio messaggio "${subject}" a ${to} non è arrivato: ${cause}.`,
  uncertain: (subject, to) =>
    `Nessuno può dire se il mio messaggio "${subject}" a ${to} sia arrivato: la connessione si è interrotta. Non l'ho inviato di nuovo.`,
  sentFor: (who) => `Era inviato per ${who}, che ho avvisato.`,
  sentForYou: (subject, to, cause) =>
    `Il messaggio "${subject}" che ho inviato per lei a ${to} non è arrivato: ${cause}.`,
  again: (outboxId) =>
    `Quando potrà arrivare, \`epistle outbox retry ${outboxId}\` lo invia di nuovo allo stesso indirizzo.`,
  undoneSubject: (what) => `Annullato: ${what}`,
  notUndoneSubject: (what) => `Non annullato: ${what}`,
  undone: (what) => `Ho annullato questo: ${what}.`,
  notUndone: (what) => `Non ho potuto annullare questo: ${what}. Si può riprovare fino alla scadenza.`,
  taskFailedSubject: (name) => `Non riuscito: ${name}`,
  taskFailed: (name, when, cause) => `"${name}" non è riuscito (${when}): ${cause}.`,
  taskNotMailed: (name, when) => `"${name}" ha fatto il suo lavoro (${when}), ma il messaggio non è stato consegnato.`,
  nextTry: (when) => `Prossimo tentativo: ${when}.`,
  hearAgain: (failures) => `Scrivo di nuovo quando funziona, o dopo ${failures} tentativi falliti di fila.`,
  taskPausedSubject: (name) => `In pausa: ${name}`,
  taskPaused: (name, failures, cause) =>
    `"${name}" non è riuscito ${failures} volte di fila (${cause}) ed è in pausa. Riprende con \`epistle tasks resume\`.`,
  taskWellSubject: (name) => `Funziona di nuovo: ${name}`,
  taskWell: (name) => `"${name}" funziona di nuovo.`,
};
