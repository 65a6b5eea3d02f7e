export { answerQuestions } from './answers.js';
export { type Answers, Child, type Exit } from './child.js';
export { misuse, readCommandLine, wholeNumber } from './command-line.js';
export { countWatches } from './count-watches.js';
export { Seeded } from './seeded.js';
