// Longer than 300 lines: a table of ten languages, which a translator reads in one piece.

import type { Wording } from '../language.ts';

/** The kinds of effect that a receipt has words for. */
export type Act =
  | 'mail'
  | 'attached'
  | 'saved'
  | 'changed'
  | 'deleted'
  | 'scheduled'
  | 'paused'
  | 'resumed'
  /** Kept in memory, in the words in which it is kept. */
  | 'remembered'
  /** Erased from memory; what it was is not said again. */
  | 'forgotten'
  | 'question'
  /** Work that was handed on and came to nothing. */
  | 'part'
  | 'other';

/** Why something was not done, in the reader's words and not in the gateway's codes. */
export type Why =
  | 'denied'
  | 'expired'
  | 'stale'
  | 'rule'
  | 'sender'
  | 'no_owner'
  | 'limit'
  | 'not_reached'
  | 'too_many'
  | 'stopped'
  | 'timeout'
  | 'not_found'
  | 'invalid'
  | 'failed'
  | 'unavailable';

interface ActWords {
  did(what: string): string;
  toDo(what: string): string;
  /** In place of what it was done to, where that cannot be named. */
  readonly some: string;
}

export interface ReceiptWords {
  readonly done: string;
  readonly notDone: string;
  readonly waiting: string;
  readonly unclear: string;
  readonly acts: Readonly<Record<Act, ActWords>>;
  readonly why: Readonly<Record<Why, string>>;
  quote(text: string): string;
  approvalOf(who: string): string;
  readonly anOwner: string;
  more(count: number): string;
  readonly unknown: string;
  readonly takenBack: string;
  readonly shortened: string;
  readonly nothing: string;
  /** For an owner: files and the like that the persona made in answers to others. */
  madeForOthers(count: number): string;
  /** Which tools of MCP servers were away, and why: a sentence for each reason. */
  readonly away: Readonly<Record<AwayWhy, (tools: string) => string>>;
  /** In place of names that no owner has seen. */
  newTools(count: number, server: string): string;
}

/** `lock`: what owners have allowed cannot be read. */
export type AwayWhy = 'new' | 'changed' | 'removed' | 'lock';

const before = (word: string) => (what: string) => `${word} ${what}`;
const after = (word: string) => (what: string) => `${what} ${word}`;
const same = (what: string) => what;
const both = (words: (what: string) => string, some: string): ActWords => ({ did: words, toDo: words, some });
const act = (did: (what: string) => string, toDo: (what: string) => string, some: string): ActWords => ({
  did,
  toDo,
  some,
});
const inQuotes = (open: string, close: string) => (text: string) => `${open}${text}${close}`;

/** What stands below an answer whose run changed something, was to and could not, or waits for somebody. */
export const RECEIPT: Wording<ReceiptWords> = {
  en: {
    done: 'Done',
    notDone: 'Not done',
    waiting: 'Waiting',
    unclear: 'Not certain',
    acts: {
      mail: both(before('mail to'), 'somebody else'),
      attached: act(before('attached'), before('attach'), 'a file'),
      saved: act(before('saved'), before('save'), 'a file'),
      changed: act(before('changed'), before('change'), 'something'),
      deleted: act(before('deleted'), before('delete'), 'something'),
      scheduled: act(before('scheduled'), before('schedule'), 'a task'),
      paused: act(before('paused'), before('pause'), 'a task'),
      resumed: act(before('resumed'), before('resume'), 'a task'),
      remembered: act(before('remembered:'), before('remember:'), 'something'),
      forgotten: act(before('forgot'), before('forget'), 'one thing that I remembered'),
      question: both(same, 'question to the owner'),
      part: both(same, 'a part of the work'),
      other: both(same, 'something else'),
    },
    why: {
      denied: 'needs an approval that was denied',
      expired: 'needs an approval, and nobody gave one in time',
      stale: 'was approved, but had changed by then',
      rule: 'not allowed by a rule',
      sender: 'not allowed for the sender of this mail',
      no_owner: 'needs an approval, and there is nobody who could give it',
      limit: 'the limit for this is reached',
      not_reached: 'it did not come to that',
      too_many: 'more than I do at once; ask me for the rest',
      stopped: 'stopped before it was done',
      timeout: 'broken off because it took too long',
      not_found: 'there is no such thing',
      invalid: 'not possible in this form',
      failed: 'it failed',
      unavailable: 'not available here',
    },
    quote: inQuotes('"', '"'),
    approvalOf: (who) => `approval asked of ${who}`,
    anOwner: 'the owner',
    more: (count) => `and ${count} more`,
    unknown: 'may or may not have been done; it was not repeated',
    takenBack: 'taken back since',
    shortened: 'Shortened: some details are for the owner only.',
    nothing: 'Nothing was changed.',
    away: {
      new: (tools) => `I could not use ${tools}, because an owner has to allow that first.`,
      changed: (tools) => `I could not use ${tools}, because that was changed since an owner allowed it.`,
      removed: (tools) => `I could not use ${tools}, because its server does not offer that any more.`,
      lock: (tools) => `I could not use ${tools}, because what owners have allowed cannot be read.`,
    },
    newTools: (count, server) => (count === 1 ? `a new tool of ${server}` : `${count} new tools of ${server}`),
    madeForOthers: (count) =>
      count === 1
        ? 'In answers to others: 1 file or entry made'
        : `In answers to others: ${count} files or entries made`,
  },
  de: {
    done: 'Erledigt',
    notDone: 'Nicht erledigt',
    waiting: 'Wartet',
    unclear: 'Ungewiss',
    acts: {
      mail: both(before('Mail an'), 'jemand anderen'),
      attached: act(after('angehängt'), after('anhängen'), 'eine Datei'),
      saved: act(after('gespeichert'), after('speichern'), 'eine Datei'),
      changed: act(after('geändert'), after('ändern'), 'etwas'),
      deleted: act(after('gelöscht'), after('löschen'), 'etwas'),
      scheduled: act(after('eingeplant'), after('einplanen'), 'eine Aufgabe'),
      paused: act(after('angehalten'), after('anhalten'), 'eine Aufgabe'),
      resumed: act(after('fortgesetzt'), after('fortsetzen'), 'eine Aufgabe'),
      remembered: act(before('gemerkt:'), before('merken:'), 'etwas'),
      forgotten: both(after('vergessen'), 'etwas, das ich mir gemerkt hatte,'),
      question: both(same, 'Rückfrage beim Inhaber'),
      part: both(same, 'ein Teil der Arbeit'),
      other: both(same, 'etwas anderes'),
    },
    why: {
      denied: 'braucht eine Freigabe, die abgelehnt wurde',
      expired: 'braucht eine Freigabe, die nicht rechtzeitig kam',
      stale: 'war freigegeben, hatte sich bis dahin aber geändert',
      rule: 'durch eine Regel nicht erlaubt',
      sender: 'für den Absender dieser Mail nicht erlaubt',
      no_owner: 'braucht eine Freigabe, und niemand kann sie geben',
      limit: 'die Grenze dafür ist erreicht',
      not_reached: 'dazu kam es nicht',
      too_many: 'mehr, als ich auf einmal tue; bitte noch einmal um den Rest',
      stopped: 'vorher abgebrochen',
      timeout: 'abgebrochen, weil es zu lange dauerte',
      not_found: 'gibt es nicht',
      invalid: 'so nicht möglich',
      failed: 'fehlgeschlagen',
      unavailable: 'hier nicht verfügbar',
    },
    quote: inQuotes('„', '“'),
    approvalOf: (who) => `Freigabe erbeten von ${who}`,
    anOwner: 'dem Inhaber',
    more: (count) => `und ${count} weitere`,
    unknown: 'vielleicht erledigt, vielleicht nicht; es wurde nicht wiederholt',
    takenBack: 'inzwischen zurückgenommen',
    shortened: 'Gekürzt: Einige Angaben sind nur für den Inhaber.',
    nothing: 'Es wurde nichts geändert.',
    away: {
      new: (tools) => `Ich konnte ${tools} nicht verwenden, weil der Inhaber das erst erlauben muss.`,
      changed: (tools) =>
        `Ich konnte ${tools} nicht verwenden, weil sich das geändert hat, seit der Inhaber es erlaubt hat.`,
      removed: (tools) => `Ich konnte ${tools} nicht verwenden, weil der Server das nicht mehr anbietet.`,
      lock: (tools) => `Ich konnte ${tools} nicht verwenden, weil nicht zu lesen ist, was der Inhaber erlaubt hat.`,
    },
    newTools: (count, server) =>
      count === 1 ? `ein neues Werkzeug von ${server}` : `${count} neue Werkzeuge von ${server}`,
    madeForOthers: (count) =>
      count === 1
        ? 'In Antworten an andere: 1 Datei oder Eintrag angelegt'
        : `In Antworten an andere: ${count} Dateien oder Einträge angelegt`,
  },
  fr: {
    done: 'Fait',
    notDone: 'Pas fait',
    waiting: 'En attente',
    unclear: 'Incertain',
    acts: {
      mail: both(before('mail à'), 'une autre personne'),
      attached: act(before('joint'), before('joindre'), 'un fichier'),
      saved: act(after('enregistré'), before('enregistrer'), 'un fichier'),
      changed: act(after('modifié'), before('modifier'), 'quelque chose'),
      deleted: act(after('supprimé'), before('supprimer'), 'quelque chose'),
      scheduled: act(after('programmé'), before('programmer'), 'une tâche'),
      paused: act(after('suspendu'), before('suspendre'), 'une tâche'),
      resumed: act(after('repris'), before('reprendre'), 'une tâche'),
      remembered: act(before('retenu :'), before('retenir :'), 'quelque chose'),
      forgotten: act(before('oublié'), before('oublier'), 'une chose que j’avais retenue'),
      question: both(same, 'question au propriétaire'),
      part: both(same, 'une partie du travail'),
      other: both(same, 'autre chose'),
    },
    why: {
      denied: 'demande un accord, qui a été refusé',
      expired: 'demande un accord, qui n’est pas venu à temps',
      stale: 'approuvé, mais modifié entre-temps',
      rule: 'interdit par une règle',
      sender: 'pas permis à l’expéditeur de ce mail',
      no_owner: 'demande un accord que personne ne peut donner',
      limit: 'la limite est atteinte',
      not_reached: 'on n’en est pas arrivé là',
      too_many: 'plus que je n’en fais à la fois ; redemandez-moi le reste',
      stopped: 'arrêté avant',
      timeout: 'interrompu, car c’était trop long',
      not_found: 'introuvable',
      invalid: 'impossible sous cette forme',
      failed: 'échec',
      unavailable: 'pas disponible ici',
    },
    quote: inQuotes('« ', ' »'),
    approvalOf: (who) => `accord demandé à ${who}`,
    anOwner: 'la personne responsable',
    more: (count) => `et ${count} de plus`,
    unknown: 'peut-être fait, peut-être pas ; cela n’a pas été répété',
    takenBack: 'annulé depuis',
    shortened: 'Abrégé : certains détails sont réservés au propriétaire.',
    nothing: 'Rien n’a été modifié.',
    away: {
      new: (tools) => `Je n’ai pas pu utiliser ${tools} : un propriétaire doit d’abord l’autoriser.`,
      changed: (tools) => `Je n’ai pas pu utiliser ${tools} : cela a changé depuis l’autorisation d’un propriétaire.`,
      removed: (tools) => `Je n’ai pas pu utiliser ${tools} : le serveur ne le propose plus.`,
      lock: (tools) => `Je n’ai pas pu utiliser ${tools} : les autorisations des propriétaires sont illisibles.`,
    },
    newTools: (count, server) =>
      count === 1 ? `un nouvel outil de ${server}` : `${count} nouveaux outils de ${server}`,
    madeForOthers: (count) =>
      count === 1
        ? 'En réponse à d’autres : 1 fichier ou entrée créé'
        : `En réponse à d’autres : ${count} fichiers ou entrées créés`,
  },
  es: {
    done: 'Hecho',
    notDone: 'No hecho',
    waiting: 'Pendiente',
    unclear: 'Dudoso',
    acts: {
      mail: both(before('correo a'), 'otra persona'),
      attached: act(before('adjuntado:'), before('adjuntar'), 'un archivo'),
      saved: act(before('guardado:'), before('guardar'), 'un archivo'),
      changed: act(before('modificado:'), before('modificar'), 'algo'),
      deleted: act(before('borrado:'), before('borrar'), 'algo'),
      scheduled: act(before('programado:'), before('programar'), 'una tarea'),
      paused: act(before('en pausa:'), before('pausar'), 'una tarea'),
      resumed: act(before('reanudado:'), before('reanudar'), 'una tarea'),
      remembered: act(before('recordado:'), before('recordar:'), 'algo'),
      forgotten: act(before('olvidado:'), before('olvidar'), 'algo que recordaba'),
      question: both(same, 'pregunta al propietario'),
      part: both(same, 'una parte del trabajo'),
      other: both(same, 'otra cosa'),
    },
    why: {
      denied: 'necesita una autorización, que fue denegada',
      expired: 'necesita una autorización, que no llegó a tiempo',
      stale: 'estaba autorizado, pero había cambiado entretanto',
      rule: 'una regla no lo permite',
      sender: 'no permitido al remitente de este correo',
      no_owner: 'necesita una autorización que nadie puede dar',
      limit: 'se ha alcanzado el límite',
      not_reached: 'no se llegó a hacer',
      too_many: 'más de lo que hago de una vez; pídame el resto',
      stopped: 'se detuvo antes',
      timeout: 'interrumpido porque tardaba demasiado',
      not_found: 'no existe',
      invalid: 'no es posible de esta forma',
      failed: 'falló',
      unavailable: 'no disponible aquí',
    },
    quote: inQuotes('«', '»'),
    approvalOf: (who) => `autorización pedida a ${who}`,
    anOwner: 'la persona responsable',
    more: (count) => `y ${count} más`,
    unknown: 'puede que se haya hecho o no; no se repitió',
    takenBack: 'deshecho después',
    shortened: 'Abreviado: algunos detalles son solo para el propietario.',
    nothing: 'No se cambió nada.',
    away: {
      new: (tools) => `No pude usar ${tools}, porque un propietario tiene que permitirlo antes.`,
      changed: (tools) => `No pude usar ${tools}, porque ha cambiado desde que un propietario lo permitió.`,
      removed: (tools) => `No pude usar ${tools}, porque su servidor ya no lo ofrece.`,
      lock: (tools) => `No pude usar ${tools}, porque no se puede leer lo que los propietarios han permitido.`,
    },
    newTools: (count, server) =>
      count === 1 ? `una herramienta nueva de ${server}` : `${count} herramientas nuevas de ${server}`,
    madeForOthers: (count) =>
      count === 1
        ? 'En respuestas a otros: 1 archivo o entrada creado'
        : `En respuestas a otros: ${count} archivos o entradas creados`,
  },
  it: {
    done: 'Fatto',
    notDone: 'Non fatto',
    waiting: 'In attesa',
    unclear: 'Incerto',
    acts: {
      mail: both(before('mail a'), 'un’altra persona'),
      attached: act(before('allegato:'), before('allegare'), 'un file'),
      saved: act(before('salvato:'), before('salvare'), 'un file'),
      changed: act(before('modificato:'), before('modificare'), 'qualcosa'),
      deleted: act(before('eliminato:'), before('eliminare'), 'qualcosa'),
      scheduled: act(before('pianificato:'), before('pianificare'), 'un’attività'),
      paused: act(before('sospeso:'), before('sospendere'), 'un’attività'),
      resumed: act(before('ripreso:'), before('riprendere'), 'un’attività'),
      remembered: act(before('memorizzato:'), before('memorizzare:'), 'qualcosa'),
      forgotten: act(before('dimenticato:'), before('dimenticare'), 'una cosa che ricordavo'),
      question: both(same, 'domanda al titolare'),
      part: both(same, 'una parte del lavoro'),
      other: both(same, 'qualcos’altro'),
    },
    why: {
      denied: 'serve un’approvazione, che è stata negata',
      expired: 'serve un’approvazione, che non è arrivata in tempo',
      stale: 'era approvato, ma nel frattempo era cambiato',
      rule: 'non consentito da una regola',
      sender: 'non consentito al mittente di questa mail',
      no_owner: 'serve un’approvazione che nessuno può dare',
      limit: 'il limite è raggiunto',
      not_reached: 'non ci si è arrivati',
      too_many: 'più di quanto faccia in una volta; mi richieda il resto',
      stopped: 'fermato prima',
      timeout: 'interrotto perché durava troppo',
      not_found: 'non esiste',
      invalid: 'non possibile in questa forma',
      failed: 'non riuscito',
      unavailable: 'non disponibile qui',
    },
    quote: inQuotes('«', '»'),
    approvalOf: (who) => `approvazione chiesta a ${who}`,
    anOwner: 'chi è responsabile',
    more: (count) => `e altri ${count}`,
    unknown: 'forse fatto, forse no; non è stato ripetuto',
    takenBack: 'annullato nel frattempo',
    shortened: 'Abbreviato: alcuni dettagli sono solo per il titolare.',
    nothing: 'Non è stato cambiato nulla.',
    away: {
      new: (tools) => `Non ho potuto usare ${tools}, perché un proprietario deve prima permetterlo.`,
      changed: (tools) => `Non ho potuto usare ${tools}, perché è cambiato da quando un proprietario lo ha permesso.`,
      removed: (tools) => `Non ho potuto usare ${tools}, perché il suo server non lo offre più.`,
      lock: (tools) => `Non ho potuto usare ${tools}, perché non si legge ciò che i proprietari hanno permesso.`,
    },
    newTools: (count, server) =>
      count === 1 ? `un nuovo strumento di ${server}` : `${count} nuovi strumenti di ${server}`,
    madeForOthers: (count) =>
      count === 1 ? 'In risposte ad altri: 1 file o voce creata' : `In risposte ad altri: ${count} file o voci create`,
  },
  nl: {
    done: 'Gedaan',
    notDone: 'Niet gedaan',
    waiting: 'Wacht',
    unclear: 'Onzeker',
    acts: {
      mail: both(before('mail aan'), 'iemand anders'),
      attached: act(after('bijgevoegd'), after('bijvoegen'), 'een bestand'),
      saved: act(after('opgeslagen'), after('opslaan'), 'een bestand'),
      changed: act(after('gewijzigd'), after('wijzigen'), 'iets'),
      deleted: act(after('verwijderd'), after('verwijderen'), 'iets'),
      scheduled: act(after('ingepland'), after('inplannen'), 'een taak'),
      paused: act(after('gepauzeerd'), after('pauzeren'), 'een taak'),
      resumed: act(after('hervat'), after('hervatten'), 'een taak'),
      remembered: both(before('onthouden:'), 'iets'),
      forgotten: both(after('vergeten'), 'iets dat ik had onthouden'),
      question: both(same, 'vraag aan de eigenaar'),
      part: both(same, 'een deel van het werk'),
      other: both(same, 'iets anders'),
    },
    why: {
      denied: 'heeft een goedkeuring nodig, en die is geweigerd',
      expired: 'heeft een goedkeuring nodig, en die kwam niet op tijd',
      stale: 'was goedgekeurd, maar was intussen veranderd',
      rule: 'door een regel niet toegestaan',
      sender: 'niet toegestaan voor de afzender van deze mail',
      no_owner: 'heeft een goedkeuring nodig die niemand kan geven',
      limit: 'de grens hiervoor is bereikt',
      not_reached: 'zover is het niet gekomen',
      too_many: 'meer dan ik in één keer doe; vraag me om de rest',
      stopped: 'eerder gestopt',
      timeout: 'afgebroken omdat het te lang duurde',
      not_found: 'bestaat niet',
      invalid: 'zo niet mogelijk',
      failed: 'mislukt',
      unavailable: 'hier niet beschikbaar',
    },
    quote: inQuotes('"', '"'),
    approvalOf: (who) => `goedkeuring gevraagd aan ${who}`,
    anOwner: 'de eigenaar',
    more: (count) => `en nog ${count}`,
    unknown: 'misschien wel gedaan, misschien niet; het is niet herhaald',
    takenBack: 'intussen teruggedraaid',
    shortened: 'Ingekort: sommige gegevens zijn alleen voor de eigenaar.',
    nothing: 'Er is niets gewijzigd.',
    away: {
      new: (tools) => `Ik kon ${tools} niet gebruiken, omdat een eigenaar dat eerst moet toestaan.`,
      changed: (tools) => `Ik kon ${tools} niet gebruiken, omdat dat veranderd is sinds een eigenaar het toestond.`,
      removed: (tools) => `Ik kon ${tools} niet gebruiken, omdat de server dat niet meer aanbiedt.`,
      lock: (tools) => `Ik kon ${tools} niet gebruiken, omdat niet te lezen is wat eigenaren hebben toegestaan.`,
    },
    newTools: (count, server) =>
      count === 1 ? `een nieuw hulpmiddel van ${server}` : `${count} nieuwe hulpmiddelen van ${server}`,
    madeForOthers: (count) =>
      count === 1
        ? 'In antwoorden aan anderen: 1 bestand of notitie gemaakt'
        : `In antwoorden aan anderen: ${count} bestanden of notities gemaakt`,
  },
  pt: {
    done: 'Feito',
    notDone: 'Não feito',
    waiting: 'Em espera',
    unclear: 'Incerto',
    acts: {
      mail: both(before('e-mail para'), 'outra pessoa'),
      attached: act(before('anexado:'), before('anexar'), 'um ficheiro'),
      saved: act(before('guardado:'), before('guardar'), 'um ficheiro'),
      changed: act(before('alterado:'), before('alterar'), 'algo'),
      deleted: act(before('apagado:'), before('apagar'), 'algo'),
      scheduled: act(before('agendado:'), before('agendar'), 'uma tarefa'),
      paused: act(before('em pausa:'), before('pausar'), 'uma tarefa'),
      resumed: act(before('retomado:'), before('retomar'), 'uma tarefa'),
      remembered: act(before('memorizado:'), before('memorizar:'), 'algo'),
      forgotten: act(before('esquecido:'), before('esquecer'), 'algo de que me lembrava'),
      question: both(same, 'pergunta ao proprietário'),
      part: both(same, 'uma parte do trabalho'),
      other: both(same, 'outra coisa'),
    },
    why: {
      denied: 'precisa de uma aprovação, que foi recusada',
      expired: 'precisa de uma aprovação, que não chegou a tempo',
      stale: 'estava aprovado, mas entretanto tinha mudado',
      rule: 'não permitido por uma regra',
      sender: 'não permitido ao remetente deste e-mail',
      no_owner: 'precisa de uma aprovação que ninguém pode dar',
      limit: 'o limite foi atingido',
      not_reached: 'não se chegou a isso',
      too_many: 'mais do que faço de uma vez; peça-me o resto',
      stopped: 'parado antes disso',
      timeout: 'interrompido porque demorou demais',
      not_found: 'não existe',
      invalid: 'não é possível desta forma',
      failed: 'falhou',
      unavailable: 'não disponível aqui',
    },
    quote: inQuotes('"', '"'),
    approvalOf: (who) => `aprovação pedida a ${who}`,
    anOwner: 'quem é responsável',
    more: (count) => `e mais ${count}`,
    unknown: 'talvez tenha sido feito, talvez não; não foi repetido',
    takenBack: 'desfeito entretanto',
    shortened: 'Abreviado: alguns detalhes são só para o proprietário.',
    nothing: 'Nada foi alterado.',
    away: {
      new: (tools) => `Não pude usar ${tools}, porque um proprietário tem de o permitir primeiro.`,
      changed: (tools) => `Não pude usar ${tools}, porque mudou desde que um proprietário o permitiu.`,
      removed: (tools) => `Não pude usar ${tools}, porque o servidor já não o oferece.`,
      lock: (tools) => `Não pude usar ${tools}, porque não se consegue ler o que os proprietários permitiram.`,
    },
    newTools: (count, server) =>
      count === 1 ? `uma ferramenta nova de ${server}` : `${count} ferramentas novas de ${server}`,
    madeForOthers: (count) =>
      count === 1
        ? 'Em respostas a outros: 1 ficheiro ou registo criado'
        : `Em respostas a outros: ${count} ficheiros ou registos criados`,
  },
  pl: {
    done: 'Zrobione',
    notDone: 'Niezrobione',
    waiting: 'Czeka',
    unclear: 'Niepewne',
    acts: {
      mail: both(before('mail do'), 'innej osoby'),
      attached: act(before('załączono'), before('załączyć'), 'plik'),
      saved: act(before('zapisano'), before('zapisać'), 'plik'),
      changed: act(before('zmieniono'), before('zmienić'), 'coś'),
      deleted: act(before('usunięto'), before('usunąć'), 'coś'),
      scheduled: act(before('zaplanowano'), before('zaplanować'), 'zadanie'),
      paused: act(before('wstrzymano'), before('wstrzymać'), 'zadanie'),
      resumed: act(before('wznowiono'), before('wznowić'), 'zadanie'),
      remembered: act(before('zapamiętano:'), before('zapamiętać:'), 'coś'),
      forgotten: act(before('zapomniano:'), before('zapomnieć:'), 'coś, co było zapamiętane'),
      question: both(same, 'pytanie do właściciela'),
      part: both(same, 'część pracy'),
      other: both(same, 'coś innego'),
    },
    why: {
      denied: 'wymaga zgody, a tej odmówiono',
      expired: 'wymaga zgody, a ta nie przyszła na czas',
      stale: 'była zgoda, ale w międzyczasie coś się zmieniło',
      rule: 'nie pozwala na to reguła',
      sender: 'niedozwolone dla nadawcy tej wiadomości',
      no_owner: 'wymaga zgody, której nikt nie może udzielić',
      limit: 'limit został osiągnięty',
      not_reached: 'do tego nie doszło',
      too_many: 'więcej, niż robię naraz; poproś o resztę',
      stopped: 'zatrzymano wcześniej',
      timeout: 'przerwano, bo trwało zbyt długo',
      not_found: 'nie istnieje',
      invalid: 'niemożliwe w tej postaci',
      failed: 'nie udało się',
      unavailable: 'tutaj niedostępne',
    },
    quote: inQuotes('„', '”'),
    approvalOf: (who) => `poproszono o zgodę: ${who}`,
    anOwner: 'właściciel',
    more: (count) => `i jeszcze ${count}`,
    unknown: 'może zrobione, może nie; nie powtórzono tego',
    takenBack: 'od tego czasu cofnięte',
    shortened: 'Skrócono: niektóre szczegóły są tylko dla właściciela.',
    nothing: 'Nic nie zmieniono.',
    away: {
      new: (tools) => `Nie można było użyć: ${tools}, ponieważ właściciel musi na to najpierw pozwolić.`,
      changed: (tools) => `Nie można było użyć: ${tools}, ponieważ zmieniło się to, odkąd właściciel na to pozwolił.`,
      removed: (tools) => `Nie można było użyć: ${tools}, ponieważ serwer już tego nie oferuje.`,
      lock: (tools) => `Nie można było użyć: ${tools}, ponieważ nie da się odczytać, na co pozwolili właściciele.`,
    },
    newTools: (count, server) => `nowe narzędzia serwera ${server} (${count})`,
    madeForOthers: (count) => `W odpowiedziach dla innych utworzono pliki lub wpisy: ${count}`,
  },
  ja: {
    done: '完了',
    notDone: '未実施',
    waiting: '保留中',
    unclear: '不明',
    acts: {
      mail: both(after('宛てのメール'), '別の方'),
      attached: act(after('を添付'), after('の添付'), 'ファイル'),
      saved: act(after('を保存'), after('の保存'), 'ファイル'),
      changed: act(after('を変更'), after('の変更'), '内容'),
      deleted: act(after('を削除'), after('の削除'), '内容'),
      scheduled: act(after('を予約'), after('の予約'), 'タスク'),
      paused: act(after('を一時停止'), after('の一時停止'), 'タスク'),
      resumed: act(after('を再開'), after('の再開'), 'タスク'),
      remembered: act(after('を記憶'), after('の記憶'), '内容'),
      forgotten: act(after('を記憶から消去'), after('の記憶からの消去'), '覚えていた内容'),
      question: both(same, '管理者への質問'),
      part: both(same, '作業の一部'),
      other: both(same, 'その他の作業'),
    },
    why: {
      denied: '承認が必要ですが、却下されました',
      expired: '承認が必要ですが、期限までに得られませんでした',
      stale: '承認されましたが、その前に内容が変わっていました',
      rule: 'ルールにより許可されていません',
      sender: 'このメールの差出人には許可されていません',
      no_owner: '承認が必要ですが、承認できる人がいません',
      limit: '上限に達しました',
      not_reached: 'そこまで進みませんでした',
      too_many: '一度にできる数を超えています。残りはもう一度ご依頼ください',
      stopped: '実施前に中止されました',
      timeout: '時間がかかりすぎたため中断しました',
      not_found: '見つかりません',
      invalid: 'この形ではできません',
      failed: '失敗しました',
      unavailable: 'ここでは利用できません',
    },
    quote: inQuotes('「', '」'),
    approvalOf: (who) => `${who} に承認を依頼中`,
    anOwner: '管理者',
    more: (count) => `ほか${count}件`,
    unknown: '実施されたかどうか不明です。再実行はしていません',
    takenBack: 'その後取り消されました',
    shortened: '一部の詳細は管理者のみに表示されるため、省略しています。',
    nothing: '変更は何も行われていません。',
    away: {
      new: (tools) => `${tools}は、先にオーナーの許可が必要なため、使えませんでした。`,
      changed: (tools) => `${tools}は、オーナーが許可したあとに変更されたため、使えませんでした。`,
      removed: (tools) => `${tools}は、サーバーが提供しなくなったため、使えませんでした。`,
      lock: (tools) => `${tools}は、オーナーの許可を読み取れないため、使えませんでした。`,
    },
    newTools: (count, server) => `${server} の新しいツール（${count}件）`,
    madeForOthers: (count) => `ほかの方への返信で作成したファイルや記録：${count}件`,
  },
  zh: {
    done: '已完成',
    notDone: '未完成',
    waiting: '等待中',
    unclear: '不确定',
    acts: {
      mail: both(before('邮件发送至'), '其他人'),
      attached: act(before('已附上'), before('附上'), '一个文件'),
      saved: act(before('已保存'), before('保存'), '一个文件'),
      changed: act(before('已修改'), before('修改'), '某项内容'),
      deleted: act(before('已删除'), before('删除'), '某项内容'),
      scheduled: act(before('已安排'), before('安排'), '一项任务'),
      paused: act(before('已暂停'), before('暂停'), '一项任务'),
      resumed: act(before('已恢复'), before('恢复'), '一项任务'),
      remembered: act(before('已记住：'), before('记住：'), '某项内容'),
      forgotten: act(before('已忘记'), before('忘记'), '一项记住的内容'),
      question: both(same, '向负责人提问'),
      part: both(same, '部分工作'),
      other: both(same, '其他操作'),
    },
    why: {
      denied: '需要批准，但已被拒绝',
      expired: '需要批准，但未及时得到批准',
      stale: '已批准，但内容在此之前有变化',
      rule: '规则不允许',
      sender: '不允许此邮件的发件人这样做',
      no_owner: '需要批准，但没有人可以批准',
      limit: '已达到上限',
      not_reached: '未进行到这一步',
      too_many: '一次做不了这么多；其余的请再吩咐我',
      stopped: '在完成之前已停止',
      timeout: '耗时过长，已中断',
      not_found: '不存在',
      invalid: '无法以这种形式进行',
      failed: '失败',
      unavailable: '此处不可用',
    },
    quote: inQuotes('“', '”'),
    approvalOf: (who) => `已请 ${who} 批准`,
    anOwner: '负责人',
    more: (count) => `另有 ${count} 项`,
    unknown: '可能已完成，也可能没有；未重复执行',
    takenBack: '之后已撤销',
    shortened: '已省略：部分细节仅供负责人查看。',
    nothing: '没有做任何更改。',
    away: {
      new: (tools) => `我无法使用${tools}，因为需要所有者先允许。`,
      changed: (tools) => `我无法使用${tools}，因为它在所有者允许之后有了变化。`,
      removed: (tools) => `我无法使用${tools}，因为其服务器已不再提供。`,
      lock: (tools) => `我无法使用${tools}，因为无法读取所有者的许可。`,
    },
    newTools: (count, server) => ` ${server} 的 ${count} 个新工具`,
    madeForOthers: (count) => `在给其他人的回复中新建的文件或条目：${count}`,
  },
};
