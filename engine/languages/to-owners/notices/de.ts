import type { NoticeWords } from './words.ts';

const full = (cause: string): string => `${cause.slice(0, 1).toUpperCase()}${cause.slice(1)}`;

export const de: NoticeWords = {
  causes: {
    auth: 'der Modelldienst hat unseren Schlüssel abgelehnt',
    rate_limited: 'der Modelldienst hatte zu viele Anfragen',
    overloaded: 'der Modelldienst war überlastet',
    timeout: 'der Modelldienst hat nicht rechtzeitig geantwortet',
    unavailable: 'der Modelldienst war nicht erreichbar',
    context_overflow: 'die Mail und ihr Verlauf sind zu lang für das Modell',
    bad_request: 'das Modell hat die Anfrage abgelehnt',
    unparsable: 'das Modell hat etwas Unlesbares geschickt',
    repeated_crash: 'derselbe Schritt hat das Programm mehrmals beendet',
    other: 'es ließ sich nicht abschließen',
  },
  mailCauses: {
    no_mailbox: 'dieses Postfach gibt es nicht',
    no_domain: 'diesen Mailserver gibt es nicht',
    full: 'das Postfach ist voll',
    refused: 'der andere Server hat sie abgelehnt',
    too_large: 'sie ist zu groß für den anderen Server',
    unreachable: 'der andere Server war zwei Tage lang nicht erreichbar',
  },
  more: (count, since) => `Seit ${since} ist das noch ${count}-mal geschehen. Das Neueste:`,
  moreInSubject: (count) => ` und ${count} weitere`,
  failedSubject: (subject) => `Keine Antwort auf „${subject}“`,
  failed: (who, subject, cause) => `Die Mail „${subject}“ von ${who} konnte ich nicht beantworten: ${full(cause)}.`,
  partialSubject: (subject) => `Nur ein Teil einer Antwort auf „${subject}“`,
  partial: (who, subject, cause) =>
    `Die Mail „${subject}“ von ${who} konnte ich nur zum Teil beantworten: ${full(cause)}.`,
  unknownSubject: (subject) => `Ist es geschehen? „${subject}“`,
  unknown: (tools) =>
    `Meine Arbeit brach ab, während ich ${tools} benutzte. Vielleicht ist es geschehen, vielleicht nicht; wiederholt habe ich es nicht und werde es auch nicht. Bitte sehen Sie nach.`,
  details: (runId) => `Was geschah: \`epistle runs show ${runId}\`. Noch ein Versuch: \`epistle runs retry ${runId}\`.`,
  undeliveredSubject: (subject) => `Nicht zugestellt: „${subject}“`,
  undelivered: (subject, to, cause) => `Meine Mail „${subject}“ an ${to} ist nicht angekommen: ${full(cause)}.`,
  uncertain: (subject, to) =>
    `Niemand kann sagen, ob meine Mail „${subject}“ an ${to} angekommen ist: Die Verbindung brach ab. Ich habe sie nicht noch einmal gesendet.`,
  sentFor: (who) => `Sie war für ${who}; ich habe Bescheid gesagt.`,
  sentForYou: (subject, to, cause) =>
    `Die Mail „${subject}“, die ich für Sie an ${to} gesendet habe, ist nicht angekommen: ${full(cause)}.`,
  again: (outboxId) =>
    `Sobald sie ankommen kann, sendet \`epistle outbox retry ${outboxId}\` sie noch einmal an dieselbe Adresse.`,
  undoneSubject: (what) => `Rückgängig gemacht: ${what}`,
  notUndoneSubject: (what) => `Nicht rückgängig gemacht: ${what}`,
  undone: (what) => `Ich habe das zurückgenommen: ${what}.`,
  notUndone: (what) =>
    `Ich konnte das nicht zurücknehmen: ${what}. Ein neuer Versuch geht, bis die Zeit dafür vorbei ist.`,
  taskFailedSubject: (name) => `Fehlgeschlagen: ${name}`,
  taskFailed: (name, when, cause) => `„${name}“ ist fehlgeschlagen (${when}): ${full(cause)}.`,
  taskNotMailed: (name, when) => `„${name}“ hat gearbeitet (${when}), aber die Mail konnte nicht zugestellt werden.`,
  nextTry: (when) => `Nächster Versuch: ${when}.`,
  hearAgain: (failures) => `Ich schreibe wieder, wenn es läuft oder nach ${failures} Fehlschlägen in Folge.`,
  taskPausedSubject: (name) => `Angehalten: ${name}`,
  taskPaused: (name, failures, cause) =>
    `„${name}“ ist ${failures}-mal in Folge fehlgeschlagen (${cause}) und angehalten. Weiter geht es nach \`epistle tasks resume\`.`,
  taskWellSubject: (name) => `Läuft wieder: ${name}`,
  taskWell: (name) => `„${name}“ läuft wieder.`,
};
