import type { NoticeWords } from './words.ts';

export const nl: NoticeWords = {
  causes: {
    auth: 'de modeldienst weigerde onze sleutel',
    rate_limited: 'de modeldienst kreeg te veel verzoeken',
    overloaded: 'de modeldienst was overbelast',
    timeout: 'de modeldienst antwoordde niet op tijd',
    unavailable: 'de modeldienst was niet bereikbaar',
    context_overflow: 'de mail en de geschiedenis zijn te lang voor het model',
    bad_request: 'het model weigerde het verzoek',
    unparsable: 'het model stuurde iets onleesbaars',
    repeated_crash: 'dezelfde stap liet het programma meermaals stoppen',
    other: 'het kon niet worden afgemaakt',
  },
  mailCauses: {
    no_mailbox: 'dit postvak bestaat niet',
    no_domain: 'deze mailserver bestaat niet',
    full: 'het postvak is vol',
    refused: 'de andere server weigerde hem',
    too_large: 'hij is te groot voor de andere server',
    unreachable: 'de andere server was twee dagen niet bereikbaar',
  },
  more: (count, since) => `Sinds ${since} is dit nog ${count} keer gebeurd. Het nieuwste:`,
  moreInSubject: (count) => ` en nog ${count}`,
  failedSubject: (subject) => `Geen antwoord op "${subject}"`,
  failed: (who, subject, cause) => `De mail "${subject}" van ${who} kon ik niet beantwoorden: ${cause}.`,
  partialSubject: (subject) => `Alleen een deel van een antwoord op "${subject}"`,
  partial: (who, subject, cause) => `De mail "${subject}" van ${who} kon ik maar deels beantwoorden: ${cause}.`,
  unknownSubject: (subject) => `Is het gebeurd? "${subject}"`,
  unknown: (tools) =>
    `Mijn werk brak af terwijl ik ${tools} gebruikte. Misschien is het gebeurd, misschien niet; ik heb het niet herhaald en doe dat ook niet. Kijk het alstublieft na.`,
  details: (runId) =>
    `Wat er gebeurde: \`epistle runs show ${runId}\`. Nog een poging: \`epistle runs retry ${runId}\`.`,
  undeliveredSubject: (subject) => `Niet bezorgd: "${subject}"`,
  undelivered: (subject, to, cause) => `Mijn mail "${subject}" aan ${to} is niet aangekomen: ${cause}.`,
  uncertain: (subject, to) =>
    `Niemand kan zeggen of mijn mail "${subject}" aan ${to} is aangekomen: de verbinding viel weg. Ik heb hem niet opnieuw gestuurd.`,
  sentFor: (who) => `Hij was voor ${who}; die heb ik het verteld.`,
  sentForYou: (subject, to, cause) =>
    `De mail "${subject}" die ik voor u aan ${to} stuurde, is niet aangekomen: ${cause}.`,
  again: (outboxId) =>
    `Zodra hij kan aankomen, stuurt \`epistle outbox retry ${outboxId}\` hem opnieuw naar hetzelfde adres.`,
  undoneSubject: (what) => `Ongedaan gemaakt: ${what}`,
  notUndoneSubject: (what) => `Niet ongedaan gemaakt: ${what}`,
  undone: (what) => `Ik heb dit teruggedraaid: ${what}.`,
  notUndone: (what) => `Ik kon dit niet terugdraaien: ${what}. U kunt het opnieuw proberen tot de tijd voorbij is.`,
  taskFailedSubject: (name) => `Mislukt: ${name}`,
  taskFailed: (name, when, cause) => `"${name}" is mislukt (${when}): ${cause}.`,
  taskNotMailed: (name, when) => `"${name}" heeft zijn werk gedaan (${when}), maar de mail kon niet worden bezorgd.`,
  nextTry: (when) => `Volgende poging: ${when}.`,
  hearAgain: (failures) => `Ik schrijf weer als het werkt, of na ${failures} mislukkingen op rij.`,
  taskPausedSubject: (name) => `Gepauzeerd: ${name}`,
  taskPaused: (name, failures, cause) =>
    `"${name}" is ${failures} keer op rij mislukt (${cause}) en gepauzeerd. Verder na \`epistle tasks resume\`.`,
  taskWellSubject: (name) => `Werkt weer: ${name}`,
  taskWell: (name) => `"${name}" werkt weer.`,
};
