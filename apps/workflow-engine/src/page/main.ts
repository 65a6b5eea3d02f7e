import { mount } from 'svelte';
import '@cosi-ts/app-kit/page/app.css';
import './page.css';
import App from './App.svelte';

const target = document.getElementById('app');
if (target === null) throw new Error('the page has no place for the app');
mount(App, { target });
