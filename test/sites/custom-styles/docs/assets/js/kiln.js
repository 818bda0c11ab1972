document.documentElement.dataset.kiln = "hot";
