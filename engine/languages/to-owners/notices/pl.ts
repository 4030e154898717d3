import type { NoticeWords } from './words.ts';

export const pl: NoticeWords = {
  causes: {
    auth: 'usługa modelu odrzuciła nasz klucz',
    rate_limited: 'usługa modelu miała za dużo zapytań',
    overloaded: 'usługa modelu była przeciążona',
    timeout: 'usługa modelu nie odpowiedziała na czas',
    unavailable: 'usługa modelu była niedostępna',
    context_overflow: 'wiadomość i jej historia są za długie dla modelu',
    bad_request: 'model odrzucił zapytanie',
    unparsable: 'model przysłał coś nieczytelnego',
    repeated_crash: 'ten sam krok kilka razy zatrzymał program',
    other: 'nie udało się tego ukończyć',
  },
  mailCauses: {
    no_mailbox: 'nie ma takiej skrzynki',
    no_domain: 'nie ma takiego serwera poczty',
    full: 'skrzynka jest pełna',
    refused: 'drugi serwer ją odrzucił',
    too_large: 'jest za duża dla drugiego serwera',
    unreachable: 'drugi serwer był niedostępny przez dwa dni',
  },
  more: (count, since) => `Od ${since} zdarzyło się to jeszcze ${count} razy. Ostatnio:`,
  moreInSubject: (count) => ` (i jeszcze ${count})`,
  failedSubject: (subject) => `Brak odpowiedzi na „${subject}”`,
  failed: (who, subject, cause) => `Nie udało się odpowiedzieć na wiadomość „${subject}” (${who}): ${cause}.`,
  partialSubject: (subject) => `Tylko część odpowiedzi na „${subject}”`,
  partial: (who, subject, cause) =>
    `Udało się odpowiedzieć tylko częściowo na wiadomość „${subject}” (${who}): ${cause}.`,
  unknownSubject: (subject) => `Czy to się stało? „${subject}”`,
  unknown: (tools) =>
    `Praca przerwała się w trakcie użycia ${tools}. Mogło się to stać lub nie; nie zostało i nie zostanie powtórzone. Proszę to sprawdzić.`,
  details: (runId) => `Co się stało: \`epistle runs show ${runId}\`. Kolejna próba: \`epistle runs retry ${runId}\`.`,
  undeliveredSubject: (subject) => `Niedostarczone: „${subject}”`,
  undelivered: (subject, to, cause) => `Moja wiadomość „${subject}” do ${to} nie dotarła: ${cause}.`,
  uncertain: (subject, to) =>
    `Nie wiadomo, czy moja wiadomość „${subject}” do ${to} dotarła: połączenie zostało przerwane. Nie została wysłana ponownie.`,
  sentFor: (who) => `Została wysłana na prośbę: ${who}. Ta osoba już wie.`,
  sentForYou: (subject, to, cause) => `Wiadomość „${subject}” wysłana na Twoją prośbę do ${to} nie dotarła: ${cause}.`,
  again: (outboxId) =>
    `Gdy będzie mogła dotrzeć, \`epistle outbox retry ${outboxId}\` wyśle ją ponownie na ten sam adres.`,
  undoneSubject: (what) => `Cofnięto: ${what}`,
  notUndoneSubject: (what) => `Nie cofnięto: ${what}`,
  undone: (what) => `To zostało cofnięte: ${what}.`,
  notUndone: (what) => `Nie udało się tego cofnąć: ${what}. Można spróbować ponownie, dopóki nie minie termin.`,
  taskFailedSubject: (name) => `Nie powiodło się: ${name}`,
  taskFailed: (name, when, cause) => `„${name}” nie powiodło się (${when}): ${cause}.`,
  taskNotMailed: (name, when) => `„${name}” wykonało pracę (${when}), ale wiadomości nie udało się dostarczyć.`,
  nextTry: (when) => `Następna próba: ${when}.`,
  hearAgain: (failures) => `Napiszę ponownie, gdy zadziała albo po ${failures} niepowodzeniach z rzędu.`,
  taskPausedSubject: (name) => `Wstrzymane: ${name}`,
  taskPaused: (name, failures, cause) =>
    `„${name}” nie powiodło się ${failures} razy z rzędu (${cause}) i zostało wstrzymane. Wznowienie: \`epistle tasks resume\`.`,
  taskWellSubject: (name) => `Znów działa: ${name}`,
  taskWell: (name) => `„${name}” znów działa.`,
};
