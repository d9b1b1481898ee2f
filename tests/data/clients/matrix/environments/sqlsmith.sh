debian sqlsmith
