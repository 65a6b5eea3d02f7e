export { answerQuestions } from './answers.js';
export { type Answers, Child, type Exit } from './child.js';
export { countWatches } from './count-watches.js';
export { Seeded } from './seeded.js';
