import type { NoticeWords } from './words.ts';

export const fr: NoticeWords = {
  causes: {
    auth: 'le service du modèle a refusé notre clé',
    rate_limited: 'le service du modèle avait trop de demandes',
    overloaded: 'le service du modèle était surchargé',
    timeout: "le service du modèle n'a pas répondu à temps",
    unavailable: 'le service du modèle était injoignable',
    context_overflow: 'le message et son historique sont trop longs pour le modèle',
    bad_request: 'le modèle a refusé la demande',
    unparsable: "le modèle a envoyé quelque chose d'illisible",
    repeated_crash: 'la même étape a arrêté le programme plusieurs fois',
    other: "cela n'a pas pu être mené à bien",
  },
  mailCauses: {
    no_mailbox: "cette boîte aux lettres n'existe pas",
    no_domain: "ce serveur de messagerie n'existe pas",
    full: 'la boîte aux lettres est pleine',
    refused: "l'autre serveur l'a refusé",
    too_large: "il est trop volumineux pour l'autre serveur",
    unreachable: "l'autre serveur est resté injoignable pendant deux jours",
  },
  more: (count, since) => `Depuis ${since}, cela s'est produit encore ${count} fois. Le plus récent :`,
  moreInSubject: (count) => ` et ${count} autres`,
  failedSubject: (subject) => `Pas de réponse à « ${subject} »`,
  failed: (who, subject, cause) => `Je n'ai pas pu répondre au message « ${subject} » de ${who} : ${cause}.`,
  partialSubject: (subject) => `Réponse partielle à « ${subject} »`,
  partial: (who, subject, cause) => `Je n'ai pu répondre qu'en partie au message « ${subject} » de ${who} : ${cause}.`,
  unknownSubject: (subject) => `Est-ce fait ? « ${subject} »`,
  unknown: (tools) =>
    `Mon travail s'est interrompu pendant que j'utilisais ${tools}. C'est peut-être fait, peut-être pas ; je ne l'ai pas répété et ne le ferai pas. Merci de vérifier.`,
  details: (runId) =>
    `Ce qui s'est passé : \`epistle runs show ${runId}\`. Nouvel essai : \`epistle runs retry ${runId}\`.`,
  undeliveredSubject: (subject) => `Non distribué : « ${subject} »`,
  undelivered: (subject, to, cause) => `Mon message « ${subject} » à ${to} n'est pas arrivé : ${cause}.`,
  uncertain: (subject, to) =>
    `Personne ne peut dire si mon message « ${subject} » à ${to} est arrivé : la connexion s'est interrompue. Je ne l'ai pas renvoyé.`,
  sentFor: (who) => `Il était envoyé pour ${who}, que j'ai prévenu.`,
  sentForYou: (subject, to, cause) =>
    `Le message « ${subject} » que j'ai envoyé pour vous à ${to} n'est pas arrivé : ${cause}.`,
  again: (outboxId) =>
    `Quand il pourra arriver, \`epistle outbox retry ${outboxId}\` l'envoie de nouveau à la même adresse.`,
  undoneSubject: (what) => `Annulé : ${what}`,
  notUndoneSubject: (what) => `Non annulé : ${what}`,
  undone: (what) => `J'ai annulé ceci : ${what}.`,
  notUndone: (what) => `Je n'ai pas pu annuler ceci : ${what}. Vous pouvez réessayer tant que le délai court.`,
  taskFailedSubject: (name) => `Échec : ${name}`,
  taskFailed: (name, when, cause) => `« ${name} » a échoué (${when}) : ${cause}.`,
  taskNotMailed: (name, when) =>
    `« ${name} » a fait son travail (${when}), mais son message n'a pas pu être distribué.`,
  nextTry: (when) => `Prochain essai : ${when}.`,
  hearAgain: (failures) => `Je vous récris quand cela fonctionne, ou après ${failures} échecs de suite.`,
  taskPausedSubject: (name) => `En pause : ${name}`,
  taskPaused: (name, failures, cause) =>
    `« ${name} » a échoué ${failures} fois de suite (${cause}) et est en pause. Reprise avec \`epistle tasks resume\`.`,
  taskWellSubject: (name) => `Fonctionne de nouveau : ${name}`,
  taskWell: (name) => `« ${name} » fonctionne de nouveau.`,
};
