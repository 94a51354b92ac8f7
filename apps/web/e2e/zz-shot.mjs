import { chromium } from 'playwright-core';
const b = await chromium.launch({executablePath:process.env.CHROMIUM ?? '/usr/bin/chromium',args:['--no-sandbox','--disable-gpu']});
const p = await b.newPage({viewport:{width:1440,height:900}});
await p.goto(process.argv[2]);
await p.waitForTimeout(12000);
await p.screenshot({path:'/tmp/twcli-open.png'});
await b.close();
