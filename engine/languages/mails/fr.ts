import type { MailWords } from './words.ts';

export const fr: MailWords = {
  assistant: 'Assistant IA',
  wrote: (who, when) => `Le ${when}, ${who} a écrit :`,
  today: (time) => `aujourd'hui à ${time}`,
  at: (day, time) => `${day} à ${time}`,
  asks: (name, question) => `${name} demande : ${question}`,
  may: {
    mail: (subject, to) => `puis-je envoyer « ${subject} » à ${to} ?`,
    write: (path) => `puis-je écrire le fichier ${path} ?`,
    edit: (path) => `puis-je modifier le fichier ${path} ?`,
    delete: (path) => `puis-je supprimer ${path} ?`,
    schedule: (task) => `puis-je modifier la planification de « ${task} » ?`,
    newTask: (task) => `puis-je me charger de la tâche « ${task} » ?`,
    forget: () => 'puis-je oublier ceci ?',
    run: () => 'puis-je exécuter une commande ?',
    use: (tool) => `puis-je utiliser ${tool} ?`,
    several: (count) => `puis-je faire ces ${count} choses ?`,
    plan: (count) => `puis-je le faire en ${count} étapes ?`,
  },
  hasQuestion: (name) => `${name} a une question`,
  stillWaiting: (name) => `${name} attend toujours votre réponse`,
  asked: (who, when, subject) => `${who} m'a demandé, ${when} (« ${subject} ») :`,
  askedByYou: (when, subject) => `Vous m'avez demandé, ${when} (« ${subject} ») :`,
  forTask: (task) => `C'est pour la tâche « ${task} ».`,
  helperAsks: "C'est un de mes assistants, chargé d'une partie du travail, qui le demande.",
  would: {
    mail: "Pour cela, j'enverrais ce message :",
    write: "Pour cela, j'écrirais ce fichier :",
    edit: 'Pour cela, je modifierais ce fichier :',
    delete: 'Pour cela, je supprimerais ce fichier :',
    schedule: 'Pour cela, je modifierais cette tâche :',
    newTask: 'Pour cela, je me chargerais de cette tâche :',
    forget: "Pour cela, j'effacerais ce que j'ai retenu :",
    run: "Pour cela, j'exécuterais cette commande :",
    use: (tool) => `Pour cela, j'utiliserais ${tool} :`,
    several: (count) => `Pour cela, je ferais ${count} choses :`,
    plan: (count) =>
      `Pour cela, je suivrais ces ${count} étapes, dans cet ordre, en m'arrêtant à la première qui échoue :`,
  },
  labels: {
    to: 'À',
    cc: 'Copie',
    subject: 'Objet',
    attached: 'Pièce jointe',
    file: 'Fichier',
    task: 'Tâche',
    action: 'Action',
    when: 'Quand',
    prompt: 'Consigne',
    change: 'Ce qui changerait',
    step: 'Étape',
  },
  actions: { create: 'créer', change: 'modifier', remove: 'supprimer', pause: 'suspendre', resume: 'reprendre' },
  isNew: "nouveau : je n'ai jamais écrit à cette adresse",
  origin: (value, where) => `Attention : ${value} vient de ${where}. Personne d'autorisé ne l'a indiqué.`,
  composed: (value) => `Attention : j'ai composé ${value} moi-même. Cela ne figure dans rien de ce que j'ai reçu.`,
  where: {
    mail: 'ce message même',
    subject: "l'objet du message",
    names: "le nom d'une pièce jointe",
    beside: 'ce qui accompagnait le message',
    attachment: (name, from) => `la pièce jointe ${name} de ${from}`,
    result: (tool) => `ce que ${tool} a renvoyé`,
    forwarded: (place) => `ce qui a été transféré avec (${place})`,
    quoted: (place) => `ce qui y est cité (${place})`,
  },
  none: 'rien',
  beginning: (characters, file) =>
    file === null
      ? `seul le début de ${characters} caractères figure ici ; \`epistle approvals show\` montre le tout`
      : `seul le début de ${characters} caractères figure ici ; le tout est joint : ${file}`,
  notBeside: "trop volumineux pour être joint à ce message, ou n'est plus conservé",
  buttons: {
    approve: 'Approuver',
    deny: 'Refuser',
    approveAll: 'Tout approuver',
    denyAll: 'Tout refuser',
    undoAll: 'Tout annuler',
    undo: 'Annuler',
  },
  answers: { yes: 'oui', no: 'non', yesToAll: 'oui, tout', noToAll: 'non, tout', undo: 'annuler' },
  editLine: 'subject: Bonjour',
  how: (line) =>
    `Répondez simplement « oui » ou « non » (avec la raison, si vous voulez). Pour changer quelque chose, répondez « edit 1 » suivi de lignes comme « ${line} ».`,
  howSeveral: (line) =>
    `Répondez « oui, tout », « oui 1 », « non 2 parce que … ». Pour changer quelque chose, répondez « edit 1 » suivi de lignes comme « ${line} ».`,
  howPlan:
    'Répondez simplement « oui » ou « non » (avec la raison, si vous voulez). Votre réponse vaut pour toutes les étapes.',
  howQuestion: 'Répondez simplement avec vos propres mots. Je travaille avec ce que vous écrivez.',
  nothingUntil: (when) =>
    `Rien ne se passe avant votre réponse. J'attends jusqu'à : ${when} ; ensuite, ce ne sera pas fait.`,
  remindedOn: (when) => `Je vous le rappellerai une fois, ${when}.`,
  tapping: 'Un bouton ouvre une réponse dans votre messagerie ; elle compte quand vous l’envoyez.',
  reference: 'Référence',
  stillOpen: (count) =>
    count === 1 ? 'Ceci attend toujours votre réponse :' : `${count} choses attendent toujours votre réponse :`,
  firstMailHasAll:
    "Mon premier message à ce sujet dit exactement de quoi il s'agit. Répondez à celui-là ou à celui-ci.",
  undoSubject: (name, what) => `${name} : ${what} Vous pouvez l'annuler.`,
  undoneCount: (count) => `J'ai fait ${count} choses.`,
  undoDone: "C'est fait, et cela peut être annulé :",
  didDelete: (path) => `J'ai supprimé ${path}.`,
  didUse: (tool) => `J'ai utilisé ${tool}.`,
  didLearn: ({ kind, from, to, right }) =>
    `Je traite les messages du type « ${kind} » selon la version ${to} de ce que j'ai appris (avant : version ${from} ; exacte dans ${right[0]} % des exemples, maintenant dans ${right[1]} %).`,
  undoUntil: (when) => `Annulation possible jusqu'à : ${when}.`,
  howUndo: 'Répondez « annuler ».',
  howUndoSeveral: 'Répondez « annuler tout » ou « annuler 2 ».',
  waits: (owner) =>
    owner === null
      ? "J'ai bien reçu votre message. Une partie demande un accord, que j'ai sollicité. Vous aurez ma réponse dès que ce sera décidé."
      : `J'ai bien reçu votre message. Une partie demande l'accord de ${owner}, que j'ai sollicité. Vous aurez ma réponse dès que ce sera décidé.`,
  waitsForWords: (owner) =>
    owner === null
      ? "J'ai bien reçu votre message. J'ai d'abord une question à ce sujet, que j'ai posée. Vous aurez ma réponse dès que je le saurai."
      : `J'ai bien reçu votre message. J'ai d'abord une question pour ${owner}, que j'ai posée. Vous aurez ma réponse dès que je le saurai.`,
};
