import type { RefusedAnswerWords } from './words.ts';

const senders = '`epistle senders`';

/** English, and the languages whose owners are written to most. */
export const latin = {
  en: {
    verbs: { allow: 'allow', once: 'once', block: 'block' },
    buttons: { allow: 'Allow', once: 'Only once', block: 'Block' },
    how: (several) =>
      `Reply with ${several ? 'a line for each: "allow 1"' : '"allow"'} (they may write from now on), ${several ? '"once 1"' : '"once"'} (what they wrote is answered, as a stranger’s, and they stay unknown) or ${several ? '"block 1"' : '"block"'} (they are refused from now on).${several ? ' The address does in place of the number.' : ''} To let nobody in, do nothing.`,
    kept: (days) => `What they wrote is kept for ${days} ${days === 1 ? 'day' : 'days'}, so nobody has to write again.`,
    why: {
      nothing: 'Your answer has no line that says "allow", "once" or "block".',
      more_words: 'Your answer says more than "allow", "once" or "block", and that could change what is meant.',
      which: 'Several senders are listed, and your answer does not say which: "allow 1", or "allow all".',
      unknown_sender: '{detail} is not on the list, letter for letter.',
      pattern: 'By mail it can be about one address alone, not about all that fit {detail}.',
    },
    allowed: (sender, persona) => `${sender} may write to ${persona} from now on.`,
    once: (sender, persona) => `${sender} was let in this once, and stays unknown to ${persona}.`,
    blocked: (sender, persona) => `${sender} can no longer write to ${persona}, and you hear of them no more.`,
    taken: (mails) =>
      mails === 0
        ? 'None of what they wrote could be taken in; they have to write again.'
        : mails === 1
          ? 'One mail of theirs was taken in and is answered.'
          : `${mails} mails of theirs were taken in and are answered.`,
    open: (sender) => `${sender} still waits for your answer.`,
    settled: (sender, verb, by, at) => `About ${sender} it was decided before: "${verb}", by ${by}, at ${at}.`,
    expired: (sender) =>
      `The time for an answer about ${sender} is over, and nothing was done. ${senders} still lets them in.`,
    needsProof: (sender) =>
      `${sender} may write already. What is missing is proof that the mail is theirs, and no answer can take its place: nothing was done.`,
    isOwner: (sender) => `${sender} is an owner, and no owner is blocked by mail: nothing was done.`,
    denied: (sender, persona) =>
      `A rule of ${persona} or of this gateway refuses ${sender} and counts before your answer: nothing was done. ${senders} changes it.`,
    notYours: (sender, persona) => `You are no owner of ${persona}: nothing was done about ${sender}.`,
    notWritten: (sender, persona) =>
      `The file of ${persona} could not be changed, and the log says why: nothing was done about ${sender}. You can answer again.`,
    isPattern: (sender) =>
      `${sender} as a rule would fit other addresses, too: nothing was done. ${senders} decides about it.`,
  },
  de: {
    verbs: { allow: 'zulassen', once: 'einmal', block: 'sperren' },
    buttons: { allow: 'Zulassen', once: 'Nur einmal', block: 'Sperren' },
    how: (several) =>
      `Antworten Sie ${several ? 'je mit einer Zeile: „zulassen 1“' : '„zulassen“'} (darf von jetzt an schreiben), ${several ? '„einmal 1“' : '„einmal“'} (was geschrieben wurde, wird wie von Fremden beantwortet, sonst ändert sich nichts) oder ${several ? '„sperren 1“' : '„sperren“'} (wird von jetzt an abgewiesen).${several ? ' Statt der Nummer geht auch die Adresse.' : ''} Wollen Sie niemanden zulassen, müssen Sie nichts tun.`,
    kept: (days) =>
      `Was geschrieben wurde, wird ${days} ${days === 1 ? 'Tag' : 'Tage'} lang aufbewahrt; niemand muss noch einmal schreiben.`,
    why: {
      nothing: 'In der Antwort steht keine Zeile mit „zulassen“, „einmal“ oder „sperren“.',
      more_words: 'Die Antwort sagt mehr als „zulassen“, „einmal“ oder „sperren“, und das könnte den Sinn ändern.',
      which:
        'Mehrere stehen auf der Liste, und die Antwort sagt nicht, wer gemeint ist: „zulassen 1“ oder „alle zulassen“.',
      unknown_sender: '{detail} steht so nicht auf der Liste, Buchstabe für Buchstabe.',
      pattern: 'Per Mail geht es nur um eine einzelne Adresse, nicht um alle, auf die {detail} passt.',
    },
    allowed: (sender, persona) => `${sender} darf von jetzt an an ${persona} schreiben.`,
    once: (sender, persona) => `${sender} wurde dieses eine Mal zugelassen und bleibt für ${persona} fremd.`,
    blocked: (sender, persona) => `${sender} kann nicht mehr an ${persona} schreiben, und Sie hören nichts mehr davon.`,
    taken: (mails) =>
      mails === 0
        ? 'Nichts davon konnte angenommen werden; es muss noch einmal geschrieben werden.'
        : mails === 1
          ? 'Eine Mail von dort wurde angenommen und wird beantwortet.'
          : `${mails} Mails von dort wurden angenommen und werden beantwortet.`,
    open: (sender) => `${sender} wartet noch auf Ihre Antwort.`,
    settled: (sender, verb, by, at) => `Über ${sender} ist schon entschieden: „${verb}“, von ${by}, um ${at}.`,
    expired: (sender) =>
      `Die Zeit für eine Antwort zu ${sender} ist um, und nichts wurde getan. ${senders} lässt noch zu.`,
    needsProof: (sender) =>
      `${sender} darf schon schreiben. Was fehlt, ist der Beweis, dass die Mail von dort kommt, und den ersetzt keine Antwort: Nichts wurde getan.`,
    isOwner: (sender) => `${sender} gehört einem Besitzer, und den sperrt keine Mail: Nichts wurde getan.`,
    denied: (sender, persona) =>
      `Eine Regel von ${persona} oder dieses Gateways weist ${sender} ab und geht vor: Nichts wurde getan. ${senders} ändert das.`,
    notYours: (sender, persona) => `${persona} gehört Ihnen nicht: Zu ${sender} wurde nichts getan.`,
    notWritten: (sender, persona) =>
      `Die Datei von ${persona} ließ sich nicht ändern, warum steht im Log: Zu ${sender} wurde nichts getan. Sie können noch einmal antworten.`,
    isPattern: (sender) =>
      `${sender} würde als Regel auch auf andere Adressen passen: Nichts wurde getan. ${senders} entscheidet darüber.`,
  },
  fr: {
    verbs: { allow: 'autoriser', once: 'une fois', block: 'bloquer' },
    buttons: { allow: 'Autoriser', once: 'Une seule fois', block: 'Bloquer' },
    how: (several) =>
      `Répondez ${several ? 'par une ligne pour chacun : « autoriser 1 »' : '« autoriser »'} (peut écrire désormais), ${several ? '« une fois 1 »' : '« une fois »'} (ce message reçoit une réponse, comme d’un étranger, et rien d’autre ne change) ou ${several ? '« bloquer 1 »' : '« bloquer »'} (refusé désormais).${several ? ' L’adresse peut remplacer le numéro.' : ''} Pour n’admettre personne, il n’y a rien à faire.`,
    kept: (days) =>
      `Ce qui a été écrit est gardé ${days} ${days === 1 ? 'jour' : 'jours'} ; personne n’a besoin d’écrire à nouveau.`,
    why: {
      nothing: 'Votre réponse n’a aucune ligne avec « autoriser », « une fois » ou « bloquer ».',
      more_words:
        'Votre réponse dit plus que « autoriser », « une fois » ou « bloquer », et cela pourrait changer le sens.',
      which:
        'Plusieurs expéditeurs sont listés et votre réponse ne dit pas lequel : « autoriser 1 » ou « autoriser tous ».',
      unknown_sender: '{detail} n’est pas sur la liste, lettre pour lettre.',
      pattern: 'Par mail, il ne peut s’agir que d’une seule adresse, pas de toutes celles que couvre {detail}.',
    },
    allowed: (sender, persona) => `${sender} peut désormais écrire à ${persona}.`,
    once: (sender, persona) => `${sender} a été admis cette fois seulement et reste inconnu de ${persona}.`,
    blocked: (sender, persona) => `${sender} ne peut plus écrire à ${persona}, et vous n’en entendrez plus parler.`,
    taken: (mails) =>
      mails === 0
        ? 'Rien de ce qui fut écrit n’a pu être pris ; il faudra écrire à nouveau.'
        : mails === 1
          ? 'Un message a été pris et reçoit une réponse.'
          : `${mails} messages ont été pris et reçoivent une réponse.`,
    open: (sender) => `${sender} attend encore votre réponse.`,
    settled: (sender, verb, by, at) => `Pour ${sender}, c’est déjà décidé : « ${verb} », par ${by}, à ${at}.`,
    expired: (sender) =>
      `Le délai de réponse pour ${sender} est passé et rien n’a été fait. ${senders} permet encore de l’admettre.`,
    needsProof: (sender) =>
      `${sender} peut déjà écrire. Il manque la preuve que le message vient de là, et aucune réponse ne la remplace : rien n’a été fait.`,
    isOwner: (sender) => `${sender} est propriétaire, et aucun propriétaire n’est bloqué par mail : rien n’a été fait.`,
    denied: (sender, persona) =>
      `Une règle de ${persona} ou de cette passerelle refuse ${sender} et prime : rien n’a été fait. ${senders} la change.`,
    notYours: (sender, persona) => `${persona} n’est pas à vous : rien n’a été fait pour ${sender}.`,
    notWritten: (sender, persona) =>
      `Le fichier de ${persona} n’a pas pu être modifié, le journal dit pourquoi : rien n’a été fait pour ${sender}. Vous pouvez répondre à nouveau.`,
    isPattern: (sender) =>
      `${sender} comme règle couvrirait aussi d’autres adresses : rien n’a été fait. ${senders} en décide.`,
  },
  es: {
    verbs: { allow: 'permitir', once: 'una vez', block: 'bloquear' },
    buttons: { allow: 'Permitir', once: 'Solo una vez', block: 'Bloquear' },
    how: (several) =>
      `Responda ${several ? 'con una línea para cada uno: «permitir 1»' : '«permitir»'} (puede escribir desde ahora), ${several ? '«una vez 1»' : '«una vez»'} (se responde a lo que escribió, como a un extraño, y nada más cambia) o ${several ? '«bloquear 1»' : '«bloquear»'} (se rechaza desde ahora).${several ? ' La dirección sirve en lugar del número.' : ''} Para no admitir a nadie, no hay que hacer nada.`,
    kept: (days) =>
      `Lo que escribieron se guarda ${days} ${days === 1 ? 'día' : 'días'}; nadie tiene que escribir otra vez.`,
    why: {
      nothing: 'Su respuesta no tiene ninguna línea con «permitir», «una vez» o «bloquear».',
      more_words: 'Su respuesta dice más que «permitir», «una vez» o «bloquear», y eso podría cambiar el sentido.',
      which: 'Hay varios remitentes en la lista y su respuesta no dice cuál: «permitir 1» o «permitir todos».',
      unknown_sender: '{detail} no está en la lista, letra por letra.',
      pattern: 'Por correo solo puede tratarse de una dirección, no de todas las que abarca {detail}.',
    },
    allowed: (sender, persona) => `${sender} puede escribir a ${persona} desde ahora.`,
    once: (sender, persona) => `${sender} fue admitido solo esta vez y sigue siendo desconocido para ${persona}.`,
    blocked: (sender, persona) => `${sender} ya no puede escribir a ${persona}, y usted no oirá más de ello.`,
    taken: (mails) =>
      mails === 0
        ? 'No se pudo recoger nada de lo que escribió; tendrá que escribir otra vez.'
        : mails === 1
          ? 'Se recogió un correo suyo y se le responde.'
          : `Se recogieron ${mails} correos suyos y se les responde.`,
    open: (sender) => `${sender} espera aún su respuesta.`,
    settled: (sender, verb, by, at) => `Sobre ${sender} ya se decidió: «${verb}», por ${by}, a las ${at}.`,
    expired: (sender) =>
      `El plazo para responder sobre ${sender} terminó y no se hizo nada. ${senders} aún puede admitirlo.`,
    needsProof: (sender) =>
      `${sender} ya puede escribir. Falta la prueba de que el correo es suyo, y ninguna respuesta la sustituye: no se hizo nada.`,
    isOwner: (sender) => `${sender} es propietario, y a ningún propietario se le bloquea por correo: no se hizo nada.`,
    denied: (sender, persona) =>
      `Una regla de ${persona} o de esta pasarela rechaza a ${sender} y vale más: no se hizo nada. ${senders} la cambia.`,
    notYours: (sender, persona) => `${persona} no es suyo: no se hizo nada sobre ${sender}.`,
    notWritten: (sender, persona) =>
      `El archivo de ${persona} no se pudo cambiar, el registro dice por qué: no se hizo nada sobre ${sender}. Puede responder otra vez.`,
    isPattern: (sender) =>
      `${sender} como regla abarcaría también otras direcciones: no se hizo nada. ${senders} decide sobre ello.`,
  },
  it: {
    verbs: { allow: 'ammetti', once: 'una volta', block: 'blocca' },
    buttons: { allow: 'Ammetti', once: 'Solo una volta', block: 'Blocca' },
    how: (several) =>
      `Risponda ${several ? 'con una riga per ciascuno: «ammetti 1»' : '«ammetti»'} (può scrivere d’ora in poi), ${several ? '«una volta 1»' : '«una volta»'} (a ciò che ha scritto si risponde come a un estraneo, e nient’altro cambia) o ${several ? '«blocca 1»' : '«blocca»'} (d’ora in poi è rifiutato).${several ? ' Al posto del numero va bene l’indirizzo.' : ''} Per non ammettere nessuno non serve fare nulla.`,
    kept: (days) =>
      `Ciò che hanno scritto è conservato per ${days} ${days === 1 ? 'giorno' : 'giorni'}; nessuno deve riscrivere.`,
    why: {
      nothing: 'La risposta non ha nessuna riga con «ammetti», «una volta» o «blocca».',
      more_words: 'La risposta dice più di «ammetti», «una volta» o «blocca», e ciò potrebbe cambiare il senso.',
      which: 'In lista ci sono più mittenti e la risposta non dice quale: «ammetti 1» o «ammetti tutti».',
      unknown_sender: '{detail} non è in lista, lettera per lettera.',
      pattern: 'Per mail può trattarsi di un solo indirizzo, non di tutti quelli che {detail} comprende.',
    },
    allowed: (sender, persona) => `${sender} può scrivere a ${persona} d’ora in poi.`,
    once: (sender, persona) => `${sender} è stato ammesso solo questa volta e resta sconosciuto a ${persona}.`,
    blocked: (sender, persona) => `${sender} non può più scrivere a ${persona}, e non ne sentirà più parlare.`,
    taken: (mails) =>
      mails === 0
        ? 'Nulla di ciò che ha scritto si è potuto prendere; dovrà riscrivere.'
        : mails === 1
          ? 'Una sua mail è stata presa e riceve risposta.'
          : `${mails} sue mail sono state prese e ricevono risposta.`,
    open: (sender) => `${sender} aspetta ancora la sua risposta.`,
    settled: (sender, verb, by, at) => `Su ${sender} è già stato deciso: «${verb}», da ${by}, alle ${at}.`,
    expired: (sender) =>
      `Il tempo per rispondere su ${sender} è scaduto e nulla è stato fatto. ${senders} può ancora ammetterlo.`,
    needsProof: (sender) =>
      `${sender} può già scrivere. Manca la prova che la mail sia sua, e nessuna risposta la sostituisce: nulla è stato fatto.`,
    isOwner: (sender) => `${sender} è un proprietario, e nessuno di loro si blocca per mail: nulla è stato fatto.`,
    denied: (sender, persona) =>
      `Una regola di ${persona} o di questo gateway rifiuta ${sender} e vale di più: nulla è stato fatto. ${senders} la cambia.`,
    notYours: (sender, persona) => `${persona} non è suo: nulla è stato fatto per ${sender}.`,
    notWritten: (sender, persona) =>
      `Il file di ${persona} non si è potuto cambiare, il log dice perché: nulla è stato fatto per ${sender}. Può rispondere di nuovo.`,
    isPattern: (sender) =>
      `${sender} come regola comprenderebbe anche altri indirizzi: nulla è stato fatto. Ne decide ${senders}.`,
  },
} as const satisfies Record<string, RefusedAnswerWords>;
