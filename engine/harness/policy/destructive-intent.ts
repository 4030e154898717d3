/** Stems and words by which a request asks for something to be gone, in the languages that approvals are read in. */
const WORDS = [
  /\b(?:delet|remov|eras|destroy|wip(?:e|ing)\b|purg|trash|drop\b|clear(?:\b|ing)|get rid of|throw away|discard)/,
  /\b(?:lösch|losch|entfern|vernicht|wegwerf|verwerf|tilg|bereinig)|\bräum\w* \w+ (?:auf|weg)\b/,
  /\b(?:supprim|effac|détrui|detrui|enlev|retir|jet(?:er|te|ez)\b|vid(?:er|e|ez)\b)/,
  /\b(?:borr|elimin|quit(?:a|ar|e)\b|suprim|destru|vaci(?:a|ar|e)\b)/,
  /\b(?:cancell(?:a|are|ate|i)\b|rimuov|distrugg|svuot)/,
  /\b(?:apag|exclu(?:a|ir|i)\b|remov|limp(?:a|ar|e)\b)/,
  /\b(?:verwijder|wis(?:sen)?\b|vernietig|gooi)/,
  /\b(?:usu[nń]|skasuj|wykasuj|zniszcz|slett|fjern|radera|ta bort|poista)/,
  /удал|сотри|стереть|уничтож|убери|видал/,
  /删除|刪除|移除|清空|清除|销毁|銷毀|削除|消去|消して|破棄|삭제|지워|제거|حذف|احذف|امسح|מחק|הסר|हटा|मिटा/,
];

const MAX_CHARS = 20_000;

/** Whether a request asks for something to be deleted. Too often yes only costs that one plan is put to an owner. */
export const hasDestructiveIntent = (request: string): boolean => {
  const text = request.slice(0, MAX_CHARS).normalize('NFC').toLowerCase();
  return WORDS.some((words) => words.test(text));
};
