import type { Wording } from '../language.ts';

/** What owners are told of a hook that was late each time and hears of no event any more. */
export const HOOK_OFF: Wording<(name: string, file: string) => { readonly subject: string; readonly text: string }> = {
  en: (name, file) => ({
    subject: `No more events for the hook ${name}`,
    text: `The hook ${name} hears of nothing any more: it was late three times in a row. Mail was not held up by it, and everything else goes on.\n\nIts file is ${file}. It hears again when its manifest or its settings change, or at the next start. \`epistle status\` names it until then.`,
  }),
  de: (name, file) => ({
    subject: `Keine Ereignisse mehr für den Hook ${name}`,
    text: `Der Hook ${name} erfährt nichts mehr: Er kam dreimal hintereinander zu spät. Keine Mail hat auf ihn gewartet, und alles andere geht weiter.\n\nSeine Datei ist ${file}. Er erfährt wieder etwas, sobald sein Manifest oder seine Einstellungen andere sind, oder nach dem nächsten Start. Bis dahin nennt ihn \`epistle status\`.`,
  }),
  fr: (name, file) => ({
    subject: `Plus d’événements pour le hook ${name}`,
    text: `Le hook ${name} n’est plus informé de rien : il a été en retard trois fois de suite. Aucun message ne l’a attendu, et tout le reste continue.\n\nSon fichier est ${file}. Il sera de nouveau informé quand son manifeste ou ses réglages changeront, ou au prochain démarrage. Jusque-là, \`epistle status\` le nomme.`,
  }),
  es: (name, file) => ({
    subject: `Sin más eventos para el hook ${name}`,
    text: `El hook ${name} ya no se entera de nada: llegó tarde tres veces seguidas. Ningún correo lo esperó, y todo lo demás sigue.\n\nSu archivo es ${file}. Volverá a enterarse cuando cambien su manifiesto o sus ajustes, o en el próximo arranque. Hasta entonces lo nombra \`epistle status\`.`,
  }),
  it: (name, file) => ({
    subject: `Nessun altro evento per l’hook ${name}`,
    text: `L’hook ${name} non viene più informato di nulla: è stato in ritardo tre volte di seguito. Nessuna mail lo ha atteso, e tutto il resto continua.\n\nIl suo file è ${file}. Sarà di nuovo informato quando cambieranno il manifest o le impostazioni, o al prossimo avvio. Fino ad allora lo nomina \`epistle status\`.`,
  }),
  nl: (name, file) => ({
    subject: `Geen gebeurtenissen meer voor de hook ${name}`,
    text: `De hook ${name} hoort niets meer: hij was drie keer achter elkaar te laat. Geen mail heeft op hem gewacht, en al het andere gaat door.\n\nHet bestand is ${file}. Hij hoort weer iets zodra zijn manifest of instellingen veranderen, of na de volgende start. Tot dan noemt \`epistle status\` hem.`,
  }),
  pt: (name, file) => ({
    subject: `Sem mais eventos para o hook ${name}`,
    text: `O hook ${name} já não é informado de nada: atrasou-se três vezes seguidas. Nenhum e-mail esperou por ele, e tudo o resto continua.\n\nO seu ficheiro é ${file}. Volta a ser informado quando o manifesto ou as definições mudarem, ou no próximo arranque. Até lá, \`epistle status\` indica-o.`,
  }),
  pl: (name, file) => ({
    subject: `Koniec zdarzeń dla hooka ${name}`,
    text: `Hook ${name} o niczym już się nie dowiaduje: spóźnił się trzy razy z rzędu. Żadna wiadomość na niego nie czekała, a wszystko inne działa dalej.\n\nJego plik to ${file}. Znów będzie powiadamiany, gdy zmieni się jego manifest lub ustawienia, albo po następnym uruchomieniu. Do tego czasu wymienia go \`epistle status\`.`,
  }),
  ja: (name, file) => ({
    subject: `フック ${name} への通知を止めました`,
    text: `フック ${name} は3回続けて時間内に終わらなかったため、今後は何も通知されません。メールはこのフックを待っておらず、ほかはすべて通常どおりです。\n\nファイルは ${file} です。マニフェストか設定が変わるか、次に起動したときに再開します。それまでは \`epistle status\` に表示されます。`,
  }),
  zh: (name, file) => ({
    subject: `不再向钩子 ${name} 发送事件`,
    text: `钩子 ${name} 连续三次超时，因此不再收到任何事件。没有邮件因它而等待，其他一切照常。\n\n其文件为 ${file}。清单或设置更改后，或下次启动时，它会重新收到事件。在此之前 \`epistle status\` 会列出它。`,
  }),
};
