export { answerQuestions } from './answers.js';
export { type Answers, Child, type Exit } from './child.js';
export { Seeded } from './seeded.js';
