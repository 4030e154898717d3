import type { Wording } from '../language.ts';

/** The list of sources under an answer, and what an answer lacks. */
export interface SourceWords {
  readonly heading: string;
  /** Nothing bears it out. */
  readonly unsupported: string;
  /** Nothing of it could be looked for in a source. */
  readonly unchecked: string;
  /** Its source says something else, and what. */
  contradicted(says: string): string;
  /** How much of it was read; null where nobody knows. */
  cut(share: string | null): string;
  readonly lessSure: string;
  readonly drifted: string;
  /** Says when the data are from. */
  old(when: string): string;
  /** What is missing from an answer. */
  readonly missing: { readonly claims: string; readonly figures: string; readonly answer: string };
  /** By scope, where it is one that anybody has met. */
  readonly effects: Readonly<Record<string, string>>;
  /** Stands before what was read last, where the answer is blank. */
  readonly lastSeen: string;
  /** A task whose answer is that it is done. */
  readonly done: string;
}

export const SOURCE_WORDS: Wording<SourceWords> = {
  en: {
    heading: 'Sources',
    unchecked: 'not compared with a source',
    unsupported: 'not confirmed by the source',
    contradicted: (says) => `the source says ${says}`,
    cut: (share) => (share === null ? 'only a part was read' : `only a part was read (${share})`),
    lessSure: 'the source itself is less sure',
    drifted: 'has changed since it was read',
    old: (when) => `data of ${when}`,
    missing: { claims: 'sources for what it says', figures: 'the figures with their sources', answer: 'the answer' },
    effects: {
      'mail:create': 'a mail sent',
      'files:create': 'a file written',
      'files:write': 'a file changed',
      'files:delete': 'a file deleted',
      'schedule:write': 'a task scheduled',
    },
    lastSeen: 'What was looked up last:',
    done: 'This is done.',
  },
  de: {
    heading: 'Quellen',
    unchecked: 'mit keiner Quelle verglichen',
    unsupported: 'von der Quelle nicht bestätigt',
    contradicted: (says) => `in der Quelle steht ${says}`,
    cut: (share) => (share === null ? 'nur ein Teil wurde gelesen' : `nur ein Teil wurde gelesen (${share})`),
    lessSure: 'die Quelle selbst ist weniger sicher',
    drifted: 'wurde seit dem Lesen geändert',
    old: (when) => `Stand ${when}`,
    missing: { claims: 'Belege für die Aussagen', figures: 'die Zahlen mit ihren Quellen', answer: 'die Antwort' },
    effects: {
      'mail:create': 'eine gesendete E-Mail',
      'files:create': 'eine geschriebene Datei',
      'files:write': 'eine geänderte Datei',
      'files:delete': 'eine gelöschte Datei',
      'schedule:write': 'eine eingeplante Aufgabe',
    },
    lastSeen: 'Was zuletzt nachgesehen wurde:',
    done: 'Das ist erledigt.',
  },
  fr: {
    heading: 'Sources',
    unchecked: 'non comparé à une source',
    unsupported: 'non confirmé par la source',
    contradicted: (says) => `la source indique ${says}`,
    cut: (share) => (share === null ? 'lu en partie seulement' : `lu en partie seulement (${share})`),
    lessSure: 'la source elle-même est moins sûre',
    drifted: 'a changé depuis la lecture',
    old: (when) => `données du ${when}`,
    missing: {
      claims: 'les sources de ce qui est dit',
      figures: 'les chiffres avec leurs sources',
      answer: 'la réponse',
    },
    effects: {
      'mail:create': 'un mail envoyé',
      'files:create': 'un fichier créé',
      'files:write': 'un fichier modifié',
      'files:delete': 'un fichier supprimé',
      'schedule:write': 'une tâche planifiée',
    },
    lastSeen: 'Ce qui a été consulté en dernier :',
    done: "C'est fait.",
  },
  es: {
    heading: 'Fuentes',
    unchecked: 'no comparado con una fuente',
    unsupported: 'la fuente no lo confirma',
    contradicted: (says) => `la fuente dice ${says}`,
    cut: (share) => (share === null ? 'solo se leyó una parte' : `solo se leyó una parte (${share})`),
    lessSure: 'la propia fuente es menos segura',
    drifted: 'ha cambiado desde que se leyó',
    old: (when) => `datos de ${when}`,
    missing: {
      claims: 'las fuentes de lo que se afirma',
      figures: 'las cifras con sus fuentes',
      answer: 'la respuesta',
    },
    effects: {
      'mail:create': 'un correo enviado',
      'files:create': 'un archivo creado',
      'files:write': 'un archivo modificado',
      'files:delete': 'un archivo borrado',
      'schedule:write': 'una tarea programada',
    },
    lastSeen: 'Lo último que se consultó:',
    done: 'Ya está hecho.',
  },
  it: {
    heading: 'Fonti',
    unchecked: 'non confrontato con una fonte',
    unsupported: 'non confermato dalla fonte',
    contradicted: (says) => `la fonte riporta ${says}`,
    cut: (share) => (share === null ? 'letto solo in parte' : `letto solo in parte (${share})`),
    lessSure: 'la fonte stessa è meno sicura',
    drifted: 'è cambiata dopo la lettura',
    old: (when) => `dati del ${when}`,
    missing: { claims: 'le fonti di quanto affermato', figures: 'le cifre con le loro fonti', answer: 'la risposta' },
    effects: {
      'mail:create': "un'e-mail inviata",
      'files:create': 'un file creato',
      'files:write': 'un file modificato',
      'files:delete': 'un file eliminato',
      'schedule:write': "un'attività pianificata",
    },
    lastSeen: "L'ultima cosa consultata:",
    done: 'Fatto.',
  },
  nl: {
    heading: 'Bronnen',
    unchecked: 'niet met een bron vergeleken',
    unsupported: 'niet bevestigd door de bron',
    contradicted: (says) => `in de bron staat ${says}`,
    cut: (share) => (share === null ? 'slechts een deel is gelezen' : `slechts een deel is gelezen (${share})`),
    lessSure: 'de bron zelf is minder zeker',
    drifted: 'is gewijzigd nadat het gelezen werd',
    old: (when) => `gegevens van ${when}`,
    missing: { claims: 'bronnen bij wat er staat', figures: 'de cijfers met hun bronnen', answer: 'het antwoord' },
    effects: {
      'mail:create': 'een verzonden mail',
      'files:create': 'een geschreven bestand',
      'files:write': 'een gewijzigd bestand',
      'files:delete': 'een verwijderd bestand',
      'schedule:write': 'een ingeplande taak',
    },
    lastSeen: 'Wat het laatst is opgezocht:',
    done: 'Dit is gedaan.',
  },
  pt: {
    heading: 'Fontes',
    unchecked: 'não comparado com uma fonte',
    unsupported: 'não confirmado pela fonte',
    contradicted: (says) => `a fonte diz ${says}`,
    cut: (share) => (share === null ? 'só uma parte foi lida' : `só uma parte foi lida (${share})`),
    lessSure: 'a própria fonte é menos segura',
    drifted: 'mudou desde que foi lida',
    old: (when) => `dados de ${when}`,
    missing: { claims: 'as fontes do que é afirmado', figures: 'os números com as suas fontes', answer: 'a resposta' },
    effects: {
      'mail:create': 'um e-mail enviado',
      'files:create': 'um ficheiro criado',
      'files:write': 'um ficheiro alterado',
      'files:delete': 'um ficheiro eliminado',
      'schedule:write': 'uma tarefa agendada',
    },
    lastSeen: 'O que foi consultado por último:',
    done: 'Está feito.',
  },
  pl: {
    heading: 'Źródła',
    unchecked: 'nie porównano ze źródłem',
    unsupported: 'źródło tego nie potwierdza',
    contradicted: (says) => `w źródle jest ${says}`,
    cut: (share) => (share === null ? 'przeczytano tylko część' : `przeczytano tylko część (${share})`),
    lessSure: 'samo źródło jest mniej pewne',
    drifted: 'zmieniło się od czasu odczytu',
    old: (when) => `dane z ${when}`,
    missing: { claims: 'źródła podanych informacji', figures: 'liczby wraz ze źródłami', answer: 'odpowiedź' },
    effects: {
      'mail:create': 'wysłany e-mail',
      'files:create': 'utworzony plik',
      'files:write': 'zmieniony plik',
      'files:delete': 'usunięty plik',
      'schedule:write': 'zaplanowane zadanie',
    },
    lastSeen: 'Co sprawdzono jako ostatnie:',
    done: 'Zrobione.',
  },
  ja: {
    heading: '出典',
    unchecked: '出典と照合していません',
    unsupported: '出典では確認できません',
    contradicted: (says) => `出典では ${says} です`,
    cut: (share) => (share === null ? '一部のみを読みました' : `一部のみを読みました（${share}）`),
    lessSure: '出典自体の確度はより低いものです',
    drifted: '読んだ後に変更されています',
    old: (when) => `${when} 時点のデータ`,
    missing: { claims: '内容の出典', figures: '数値とその出典', answer: '回答' },
    effects: {
      'mail:create': 'メールの送信',
      'files:create': 'ファイルの作成',
      'files:write': 'ファイルの変更',
      'files:delete': 'ファイルの削除',
      'schedule:write': 'タスクの予定登録',
    },
    lastSeen: '最後に確認した内容：',
    done: '完了しました。',
  },
  zh: {
    heading: '来源',
    unchecked: '未与来源核对',
    unsupported: '来源未能证实',
    contradicted: (says) => `来源中为 ${says}`,
    cut: (share) => (share === null ? '只读取了一部分' : `只读取了一部分（${share}）`),
    lessSure: '来源本身的把握较低',
    drifted: '读取之后已有改动',
    old: (when) => `数据截至 ${when}`,
    missing: { claims: '所述内容的来源', figures: '数字及其来源', answer: '答复' },
    effects: {
      'mail:create': '发送邮件',
      'files:create': '创建文件',
      'files:write': '修改文件',
      'files:delete': '删除文件',
      'schedule:write': '安排任务',
    },
    lastSeen: '最后查到的内容：',
    done: '已完成。',
  },
};
